// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.acl.AclUser;
import dev.sheaf.embedded.internal.acl.AclUsers;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Connection;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** HELLO, AUTH, CLIENT, PING and related commands. */
final class ConnectionCommands {
  static void register(Handlers handlers) {
    handlers
        .ok("auth", ConnectionCommands::auth)
        .add("client|caching", TrackingCommands::caching)
        .ok("client|capa", call -> {})
        .add("client|getname", ConnectionCommands::clientGetName)
        .add("client|getredir", TrackingCommands::getRedirect)
        .add("client|id", call -> call.out.integer(call.client.id))
        .add(
            "client|info",
            call -> call.out.verbatim(Bytes.of(ClientLine.of(call, call.client) + "\n")))
        .add("client|kill", ConnectionCommands::clientKill)
        .add("client|list", ConnectionCommands::clientList)
        .ok("client|no-evict", call -> call.either(2, "ON", "OFF"))
        .ok("client|no-touch", call -> call.either(2, "ON", "OFF"))
        .ok("client|pause", ConnectionCommands::clientPause)
        .add("client|reply", ConnectionCommands::clientReply)
        .ok("client|setinfo", ConnectionCommands::clientSetInfo)
        .ok("client|setname", call -> call.client.name = checkedName(call.arg(2)))
        .add("client|tracking", TrackingCommands::tracking)
        .add("client|trackinginfo", TrackingCommands::info)
        .ok("client|unpause", call -> call.node.pause.end())
        .add("client|unblock", ConnectionCommands::clientUnblock)
        .add("echo", call -> call.out.bulk(call.arg(1)))
        .add("hello", ConnectionCommands::hello)
        .add("ping", ConnectionCommands::ping)
        .add("quit", ConnectionCommands::quit)
        .add("reset", ConnectionCommands::reset)
        .ok("select", ConnectionCommands::select);
  }

  private static void auth(Call call) {
    Errors.syntaxIf(call.count() > 3);
    if (call.count() == 2) {
      Errors.refuseIf(
          call.node.users.standard.needsNoPassword(),
          "ERR AUTH <password> called without any password configured for the default user. Are"
              + " you sure your configuration is correct?");
      authenticate(call, AclUsers.DEFAULT, call.text(1));
    } else {
      authenticate(call, call.text(1), call.text(2));
    }
  }

  private static void authenticate(Call call, String name, String password) {
    AclUser user = call.node.users.authenticate(name, password);
    if (user == null) {
      Permissions.deniedEntry(call.node, call.client, "auth", name, false);
      throw Errors.of(Errors.WRONGPASS);
    }
    call.client.user = user;
    call.client.authenticated = true;
  }

  private static void hello(Call call) {
    int protocol = call.client.protocol();
    int i = 1;
    if (call.count() > 1) {
      long wanted = call.longArg(1, "ERR Protocol version is not an integer or out of range");
      Errors.refuseIf(wanted != 2 && wanted != 3, "NOPROTO unsupported protocol version");
      protocol = (int) wanted;
      i = 2;
    }
    String name = null;
    while (i < call.count()) {
      int left = call.count() - 1 - i;
      if (call.is(i, "AUTH") && left >= 2) {
        authenticate(call, call.text(i + 1), call.text(i + 2));
        i += 3;
      } else if (call.is(i, "SETNAME") && left >= 1) {
        name = checkedName(call.arg(i + 1));
        i += 2;
      } else {
        throw Errors.of("ERR Syntax error in HELLO option '" + call.text(i) + "'");
      }
    }
    Errors.refuseIf(
        !call.client.authenticated,
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
            + " <proto> AUTH <user> <pass> option can be used to authenticate the client and"
            + " select the RESP protocol version at the same time");
    if (name != null) {
      call.client.name = name;
    }
    call.client.protocol(protocol);
    introduce(call.node, call.client, call.out);
  }

  private static void introduce(ServerNode node, Client client, Reply out) {
    out.map(7);
    out.key("server").bulk(node.edition().server);
    out.key("version").bulk(node.edition().version);
    out.key("proto").integer(client.protocol());
    out.key("id").integer(client.id);
    out.bulk("mode");
    boolean sentinel = node.sentinel != null;
    out.bulk(sentinel ? "sentinel" : node.nodes.isCluster() ? "cluster" : "standalone");
    out.key("role").bulk(sentinel ? "sentinel" : node.isMaster() ? "master" : "replica");
    out.key("modules").array(0);
  }

  private static void ping(Call call) {
    Errors.arityIf(call.count() > 2, call);
    if (call.client.protocol() == 2 && call.client.isSubscriber()) {
      call.out.array(2);
      call.out.key("pong").bulk(call.count() == 2 ? call.arg(1) : Bytes.EMPTY);
    } else if (call.count() == 2) {
      call.out.bulk(call.arg(1));
    } else {
      call.out.status("PONG");
    }
  }

  private static void quit(Call call) {
    call.out.ok();
    Connection connection = call.client.connection;
    if (connection != null) {
      connection.closeAfterReplies();
    }
  }

  private static void reset(Call call) {
    call.node.reset(call.client);
    call.out.status("RESET");
  }

  private static void select(Call call) {
    long index =
        call.longArg(
            1, Integer.MIN_VALUE, Integer.MAX_VALUE, "ERR value is not an integer or out of range");
    Errors.refuseIf(
        call.node.nodes.isCluster() && index != 0, "ERR SELECT is not allowed in cluster mode");
    Errors.refuseIf(index < 0 || index >= ServerNode.DATABASES, "ERR DB index is out of range");
    call.client.dbIndex = (int) index;
  }

  private static String checkedName(byte[] name) {
    return printable(name, "Client names");
  }

  private static String printable(byte[] text, String what) {
    for (byte b : text) {
      Errors.refuseIf(
          b < '!' || b > '~',
          "ERR %s cannot contain spaces, newlines or special characters.",
          what);
    }
    return Bytes.text(text);
  }

  private static void clientGetName(Call call) {
    String name = call.client.name;
    call.out.orNil(name.isEmpty() ? null : name, call.out::bulk);
  }

  private static void clientSetInfo(Call call) {
    String value = printable(call.arg(3), call.text(2));
    if (call.is(2, "LIB-NAME")) {
      call.client.libName = value;
    } else if (call.is(2, "LIB-VER")) {
      call.client.libVersion = value;
    } else {
      throw Errors.of("ERR Unrecognized option '" + call.text(2) + "'");
    }
  }

  private static void clientReply(Call call) {
    if (call.is(2, "ON")) {
      call.client.replyMode = Client.ReplyMode.ON;
      call.client.reply().ok();
    } else if (call.is(2, "OFF")) {
      call.client.replyMode = Client.ReplyMode.OFF;
    } else if (call.is(2, "SKIP")) {
      if (call.client.replyMode != Client.ReplyMode.OFF) {
        call.client.replyMode = Client.ReplyMode.SKIP_NEXT;
      }
    } else {
      throw Errors.syntax();
    }
  }

  private static void clientPause(Call call) {
    Errors.wrongUseIf(call.count() > 4, call);
    boolean all = call.count() < 4 || call.is(3, "ALL");
    Errors.refuseIf(!all && !call.is(3, "WRITE"), "ERR CLIENT PAUSE mode must be WRITE or ALL");
    Long millis = Numbers.parseLong(call.arg(2));
    if (millis == null || millis > Long.MAX_VALUE - call.now()) {
      throw Errors.of("ERR timeout is not an integer or out of range");
    }
    Errors.refuseIf(millis < 0, "ERR timeout is negative");
    call.node.pause.begin(call.now() + millis, all);
  }

  private static void clientList(Call call) {
    Predicate<Client> wanted = client -> true;
    if (call.count() == 4 && call.is(2, "TYPE")) {
      wanted = ClientFilter.ofType(call.text(3));
    } else if (call.count() > 3 && call.is(2, "ID")) {
      List<Long> ids = new ArrayList<>();
      wanted = client -> ids.contains(client.id);
      for (int i = 3; i < call.count(); i++) {
        Long id = Numbers.parseLong(call.arg(i));
        if (id == null) {
          throw call.node.edition().isValkey()
              ? Errors.syntax()
              : Errors.of("ERR Invalid client ID");
        }
        ids.add(id);
      }
    } else if (call.count() != 2) {
      throw Errors.syntax();
    }
    StringBuilder lines = new StringBuilder();
    for (Client client : call.node.clients.values()) {
      if (wanted.test(client)) {
        lines.append(ClientLine.of(call, client)).append('\n');
      }
    }
    call.out.verbatim(Bytes.of(lines.toString()));
  }

  private static void clientKill(Call call) {
    if (call.count() == 3) {
      for (Client client : call.node.clients.values()) {
        Connection connection = client.connection;
        if (connection != null && connection.remoteAddress().equals(call.text(2))) {
          client.end(client == call.client);
          call.out.ok();
          return;
        }
      }
      throw Errors.of("ERR No such client");
    }
    List<Client> victims = new ClientFilter(call).matching();
    victims.forEach(client -> client.end(client == call.client));
    call.out.integer(victims.size());
  }

  private static void clientUnblock(Call call) {
    boolean error = call.count() == 4 && call.is(3, "ERROR");
    Errors.refuseIf(
        call.count() > 4 || (call.count() == 4 && !error && !call.is(3, "TIMEOUT")),
        "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    Client client = call.node.clients.get(call.longArg(2));
    boolean waited = client != null && call.node.blocked.unblock(client, error);
    call.out.integer(waited ? 1 : 0);
  }
}
