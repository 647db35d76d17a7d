package dev.sheaf.benchmarks.jmh;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.benchmarks.servers.Quiet;
import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A client with its availability guard, connected for the time of a trial. */
@State(Scope.Benchmark)
public class ConnectedSheaf {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private @Nullable Servers servers;
  private @Nullable Sheaf<String, String> sheaf;
  private @Nullable Availability<String> availability;

  /** Connects, and waits for the first answer. */
  @Setup(Level.Trial)
  public final void connect() {
    Quiet.logging();
    Servers opened = Servers.open(ServerKind.STANDALONE);
    servers = opened;
    Sheaf<String, String> connected =
        Sheaf.builder(opened.uri()).availability(AvailabilityOptions.defaults()).connect();
    sheaf = connected;
    Availability<String> watching = connected.availability();
    watching.withTimeout(PATIENCE).ping();
    availability = watching;
  }

  /** Disconnects. */
  @TearDown(Level.Trial)
  public final void disconnect() {
    if (sheaf != null) {
      sheaf.close();
    }
    if (servers != null) {
      servers.close();
    }
  }

  final Sheaf<String, String> sheaf() {
    Sheaf<String, String> connected = sheaf;
    if (connected == null) {
      throw new IllegalStateException("Not connected: JMH has not set up the trial");
    }
    return connected;
  }

  final Availability<String> availability() {
    Availability<String> watching = availability;
    if (watching == null) {
      throw new IllegalStateException("Not connected: JMH has not set up the trial");
    }
    return watching;
  }
}
