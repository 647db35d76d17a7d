package dev.sheaf.embedded.command;

import dev.sheaf.embedded.acl.AclLog;
import dev.sheaf.embedded.acl.AclUser;
import dev.sheaf.embedded.node.Client;
import java.util.Locale;

/** Asks a session's user for permission, and notes what was denied. */
final class Permissions {
  private Permissions() {}

  /**
   * @throws CommandException NOPERM
   */
  static void check(Client client, Command command, byte[][] args) {
    if (command.is(Flag.NO_AUTH)) {
      return;
    }
    AclUser.Denial denial = client.user().denies(command, args);
    if (denial != null) {
      note(client, denial, false);
      throw Errors.of(
          switch (denial.what()) {
            case COMMAND ->
                "NOPERM this user has no permissions to run the '" + command.name() + "' command";
            case KEY ->
                "NOPERM this user has no permissions to access one of the keys used as arguments";
            case CHANNEL ->
                "NOPERM this user has no permissions to access one of the channels used as"
                    + " arguments";
          });
    }
  }

  /**
   * As {@link #check} for a command of a script.
   *
   * @throws CommandException as Redis words it inside scripts
   */
  static void checkInScript(Client client, Command command, byte[][] args) {
    AclUser.Denial denial = client.user().denies(command, args);
    if (denial != null) {
      note(client, denial, true);
      throw Errors.of(
          switch (denial.what()) {
            case COMMAND ->
                "ERR The user executing the script can't run this command or subcommand";
            case KEY ->
                "ERR The user executing the script can't access at least one of the keys mentioned"
                    + " in the command arguments";
            case CHANNEL ->
                "ERR The user executing the script can't publish to the channel mentioned in the"
                    + " command";
          });
    }
  }

  private static void note(Client client, AclUser.Denial denial, boolean inScript) {
    deniedEntry(client, denial.what().name().toLowerCase(Locale.ROOT), denial.object(), inScript);
  }

  static void deniedEntry(Client client, String reason, String object, boolean inScript) {
    long now = client.node().nodes().now();
    boolean auth = reason.equals("auth");
    client
        .node()
        .deniedLog()
        .add(
            new AclLog.Entry(
                1,
                reason,
                inScript ? "lua" : client.queue() == null ? "toplevel" : "multi",
                auth ? "AUTH" : object,
                auth ? object : client.user().name(),
                now,
                ClientLine.of(client, now)));
  }
}
