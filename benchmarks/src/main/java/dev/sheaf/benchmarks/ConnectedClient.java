package dev.sheaf.benchmarks;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** A client, connected for the time of a trial; subclasses say to what. */
@State(Scope.Benchmark)
public abstract class ConnectedClient {

  /** The client under measurement. */
  @Param public Client client = Client.LETTUCE;

  /** How far away {@link ServerKind#DISTANT} is, there and back. */
  @Param("1200")
  public int roundTripMicros = 1200;

  private @Nullable Servers servers;
  private @Nullable Rival rival;

  /** What the client is connected to. */
  protected abstract ServerKind serverKind();

  /** How many threads use the client, if not JMH's own. */
  protected int threads(BenchmarkParams params) {
    return params.getThreads();
  }

  /** Refuses combinations that do not exist. */
  protected void checkParameters() {}

  private static void requireHere(Client client) {
    if (!client.runsHere()) {
      throw new UnsupportedOperationException(GlideRival.absence());
    }
  }

  /** Connects. */
  @Setup(Level.Trial)
  public final void connect(BenchmarkParams params) {
    Quiet.logging();
    requireHere(client);
    checkParameters();
    Servers opened = Servers.open(serverKind(), roundTripMicros);
    servers = opened;
    rival = client.connect(serverKind(), opened.uri(), threads(params));
    CostProfiler.trialBegins(opened.uri());
  }

  /** Disconnects. */
  @TearDown(Level.Trial)
  public final void disconnect() {
    CostProfiler.trialEnds();
    if (rival != null) {
      rival.close();
    }
    if (servers != null) {
      servers.close();
    }
  }

  /** Where the servers are. */
  final String uri() {
    Servers opened = servers;
    if (opened == null) {
      throw new IllegalStateException("Not connected: JMH has not set up the trial");
    }
    return opened.uri();
  }

  final Rival rival() {
    Rival connected = rival;
    if (connected == null) {
      throw new IllegalStateException("Not connected: JMH has not set up the trial");
    }
    return connected;
  }
}
