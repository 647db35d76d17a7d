// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.acl.AclException;
import dev.sheaf.embedded.internal.acl.AclLog;
import dev.sheaf.embedded.internal.acl.AclSelector;
import dev.sheaf.embedded.internal.acl.AclUser;
import dev.sheaf.embedded.internal.acl.AclUsers;
import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.protocol.Categories;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Group;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.Arrays;
import java.util.List;

/** ACL. */
final class AclCommands {
  private static final int GENPASS_BITS = 256;
  private static final int MAX_GENPASS_BITS = 4096;
  private static final int BITS_PER_DIGIT = 4;
  private static final int LOG_COUNT = 10;

  static void register(Handlers handlers) {
    handlers
        .add("acl|cat", AclCommands::cat)
        .add("acl|deluser", AclCommands::delUser)
        .add("acl|dryrun", AclCommands::dryRun)
        .add("acl|genpass", AclCommands::genPass)
        .add("acl|getuser", AclCommands::getUser)
        .add("acl|list", AclCommands::list)
        .add("acl|load", AclCommands::noFile)
        .add("acl|log", AclCommands::log)
        .add("acl|save", AclCommands::noFile)
        .ok("acl|setuser", AclCommands::setUser)
        .add("acl|users", AclCommands::users)
        .add("acl|whoami", call -> call.out.bulk(call.client.user.name));
  }

  private static void cat(Call call) {
    Errors.wrongUseIf(call.count() > 3, call);
    if (call.count() == 2) {
      call.out.each(Categories.ALL, call.out::bulk);
      return;
    }
    String category = Bytes.lower(call.arg(2));
    Errors.refuseIf(!Categories.ALL.contains(category), "ERR Unknown category '%s'", call.text(2));
    List<Command> found =
        call.node.commands.rows().stream()
            .filter(row -> row.group() != Group.SENTINEL && row.categories().contains(category))
            .toList();
    call.out.each(found, row -> call.out.bulk(row.name()));
  }

  private static void setUser(Call call) {
    for (byte b : call.arg(2)) {
      Errors.refuseIf(
          b == 0 || b == ' ' || (b >= 9 && b <= 13),
          "ERR Usernames can't contain spaces or null characters");
    }
    List<String> rules = call.from(3).stream().map(Bytes::text).toList();
    try {
      endForbiddenSubscriptions(call, call.node.users.set(call.text(2), rules));
    } catch (AclException e) {
      throw Errors.of(e.reason());
    }
  }

  /** Clients that subscribe to channels their user has lost access to are disconnected. */
  private static void endForbiddenSubscriptions(Call call, AclUser user) {
    for (Client client : List.copyOf(call.node.clients.values())) {
      if (client.user == user
          && !(mayListen(user, client.channels, false)
              && mayListen(user, client.shardChannels, false)
              && mayListen(user, client.patterns, true))) {
        client.end(client == call.client);
      }
    }
  }

  private static boolean mayListen(AclUser user, ByteMap<Boolean> channels, boolean patterns) {
    for (var e = channels.first(); e != null; e = e.after()) {
      if (!user.mayListen(e.key, patterns)) {
        return false;
      }
    }
    return true;
  }

  private static void delUser(Call call) {
    AclUsers users = call.node.users;
    int removed = 0;
    for (int i = 2; i < call.count(); i++) {
      Errors.refuseIf(
          call.text(i).equals(AclUsers.DEFAULT), "ERR The 'default' user cannot be removed");
    }
    for (int i = 2; i < call.count(); i++) {
      AclUser user = users.find(call.text(i));
      if (user != null && users.remove(user.name)) {
        removed++;
        endSessions(call, user);
      }
    }
    call.out.integer(removed);
  }

  private static void endSessions(Call call, AclUser user) {
    for (Client client : List.copyOf(call.node.clients.values())) {
      if (client.user == user && client.connection != null) {
        client.authenticated = false;
        client.user = call.node.users.standard;
        client.end(client == call.client);
      }
    }
  }

  private static void getUser(Call call) {
    AclUser user = call.node.users.find(call.text(2));
    Reply out = call.out;
    if (user == null) {
      out.nil();
      return;
    }
    List<String> flags = user.flags();
    out.map(6);
    out.key("flags").set(flags.size());
    flags.forEach(out::bulk);
    out.key("passwords").array(user.passwords.size());
    user.passwords.forEach(out::bulk);
    describe(out, user.root());
    out.key("selectors").array(user.selectors().size());
    for (AclSelector selector : user.selectors()) {
      out.map(3);
      describe(out, selector);
    }
  }

  private static void describe(Reply out, AclSelector selector) {
    out.key("commands").bulk(selector.commandsShown());
    out.key("keys").bulk(Bytes.latin(selector.keysShown()));
    out.key("channels").bulk(Bytes.latin(selector.channelsShown()));
  }

  private static void list(Call call) {
    call.out.each(call.node.users.all(), user -> call.out.bulk(Bytes.latin(user.shown())));
  }

  private static void users(Call call) {
    call.out.each(call.node.users.all(), user -> call.out.bulk(Bytes.latin(user.name)));
  }

  private static void noFile(Call call) {
    throw Errors.of(
        "ERR This Redis instance is not configured to use an ACL file. You may want to specify"
            + " users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you"
            + " have a Redis configuration file set) in order to store users in the Redis"
            + " configuration.");
  }

  private static void genPass(Call call) {
    Errors.wrongUseIf(call.count() > 3, call);
    long bits = call.count() == 3 ? call.longArg(2) : GENPASS_BITS;
    Errors.refuseIf(
        bits <= 0 || bits > MAX_GENPASS_BITS,
        "ERR ACL GENPASS argument must be the number of bits for the output password, a positive"
            + " number up to 4096");
    StringBuilder digits = new StringBuilder();
    for (int i = 0; i < (bits + BITS_PER_DIGIT - 1) / BITS_PER_DIGIT; i++) {
      digits.append(Character.forDigit(call.node.nodes.random.nextInt(16), 16));
    }
    call.out.bulk(digits.toString());
  }

  private static void dryRun(Call call) {
    AclUser user =
        Errors.found(
            call.node.users.find(call.text(2)), "ERR User '" + call.text(2) + "' not found");
    byte[][] words = Arrays.copyOfRange(call.args, 3, call.count());
    Command command =
        Errors.found(
            Dispatcher.peek(call.node, words), "ERR Command '" + call.text(3) + "' not found");
    if (!command.accepts(words.length)) {
      throw Errors.arity(command.name());
    }
    AclUser.Denial denial = user.denies(command, words);
    if (denial == null) {
      call.out.ok();
      return;
    }
    boolean named = call.node.edition().isNewer();
    String who = (named ? "User " + user.name : "This user") + " has no permissions to ";
    call.out.bulk(
        Bytes.latin(
            switch (denial.what()) {
              case COMMAND -> who + "run the '" + denial.object() + "' command";
              case KEY -> who + "access the '" + denial.object() + "' key";
              case CHANNEL -> who + "access the '" + denial.object() + "' channel";
            }));
  }

  private static void log(Call call) {
    AclLog log = call.node.deniedLog;
    Errors.arityIf(call.count() > 3, call);
    if (call.count() == 3 && call.is(2, "RESET")) {
      log.clear();
      call.out.ok();
      return;
    }
    long count = call.count() == 3 ? Math.max(0, call.longArg(2)) : LOG_COUNT;
    List<AclLog.Entry> entries = log.newest(count);
    Reply out = call.out;
    out.array(entries.size());
    for (AclLog.Entry entry : entries) {
      out.map(7);
      out.key("count").integer(entry.count());
      out.key("reason").bulk(entry.reason());
      out.key("context").bulk(entry.context());
      out.key("object").bulk(Bytes.latin(entry.object()));
      out.key("username").bulk(Bytes.latin(entry.user()));
      out.key("age-seconds").number((call.now() - entry.at()) / 1000.0);
      out.key("client-info").bulk(entry.client());
    }
  }
}
