package dev.sheaf.embedded.node;

import dev.sheaf.embedded.command.Command;
import dev.sheaf.embedded.command.Flag;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** CLIENT PAUSE of one node: whose commands wait, and until when. */
public final class ClientPause {
  private final ServerNode node;
  private long until;
  private boolean all;

  ClientPause(ServerNode node) {
    this.node = node;
  }

  /** Has commands wait; a pause that is longer or stricter already stays so. */
  public void begin(long untilMillis, boolean allCommands) {
    boolean running = until > node.nodes().now();
    all = allCommands || running && all;
    until = running ? Math.max(until, untilMillis) : untilMillis;
    Nodes nodes = node.nodes();
    long wait = Math.max(0, until - nodes.now());
    if (wait < TimeUnit.DAYS.toMillis(1)) {
      var unused =
          nodes.thread().schedule(() -> endIfDue(nodes.refreshNow()), wait, TimeUnit.MILLISECONDS);
    }
  }

  public void end() {
    if (until != 0) {
      until = 0;
      for (Client client : List.copyOf(node.clients().values())) {
        Connection connection = client.connection();
        if (connection != null) {
          connection.resume();
        }
      }
    }
  }

  void endIfDue(long now) {
    if (until != 0 && until <= now) {
      end();
    }
  }

  public boolean isOn() {
    return until != 0;
  }

  /** Whether the command, which may be unknown, has to wait now. */
  public boolean holds(Client client, Command command) {
    if (until == 0) {
      return false;
    }
    List<Client.Queued> queue = client.queue();
    boolean execWrites =
        command.name().equals("exec")
            && queue != null
            && queue.stream().anyMatch(queued -> mayWrite(queued.command()));
    boolean writes = queue == null && mayWrite(command) || execWrites;
    return (all || writes) && !client.isClosing();
  }

  private static boolean mayWrite(Command command) {
    return command.isWrite() || command.is(Flag.MAY_REPLICATE);
  }
}
