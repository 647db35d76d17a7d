package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Flag;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** CLIENT PAUSE of one node: whose commands wait, and until when. */
public final class ClientPause {
  private final CommandTime time;
  private final Supplier<Collection<Client>> clients;
  private long until;
  private boolean all;

  ClientPause(CommandTime time, Supplier<Collection<Client>> clients) {
    this.time = time;
    this.clients = clients;
  }

  /** Has commands wait; a pause that is longer or stricter already stays so. */
  public void begin(long untilMillis, boolean allCommands) {
    boolean running = until > time.now();
    all = allCommands || running && all;
    until = running ? Math.max(until, untilMillis) : untilMillis;
    long wait = Math.max(0, until - time.now());
    if (wait < TimeUnit.DAYS.toMillis(1)) {
      var unused =
          time.thread().schedule(() -> endIfDue(time.refreshNow()), wait, TimeUnit.MILLISECONDS);
    }
  }

  public void end() {
    if (until != 0) {
      until = 0;
      for (Client client : List.copyOf(clients.get())) {
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
