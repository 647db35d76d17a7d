package dev.sheaf.benchmarks;

import glide.api.BaseClient;
import glide.api.GlideClient;
import glide.api.GlideClusterClient;
import glide.api.models.Batch;
import glide.api.models.ClusterBatch;
import glide.api.models.configuration.GlideClientConfiguration;
import glide.api.models.configuration.GlideClusterClientConfiguration;
import glide.api.models.configuration.NodeAddress;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/** Valkey GLIDE: one client for all threads, as its documentation asks for. */
final class GlideRival implements Rival {

  /** Where the class that loads the native library says that it could not. */
  private static final String NATIVE_LIBRARY = "glide.ffi.resolvers.NativeUtils";

  /** Its 250 ms would end reads of large values while code is still being compiled. */
  private static final int TIMEOUT_MILLIS = 10_000;

  /** Its 1,000 refuse a thousand threads that read at once. */
  private static final int MOST_IN_FLIGHT = 10_000;

  private final BaseClient client;

  GlideRival(ServerKind kind, String uri, int threads) {
    HostAndPort at = Servers.address(uri);
    NodeAddress address = NodeAddress.builder().host(at.getHost()).port(at.getPort()).build();
    client =
        kind == ServerKind.CLUSTER
            ? Futures.value(
                GlideClusterClient.createClient(
                    GlideClusterClientConfiguration.builder()
                        .address(address)
                        .requestTimeout(TIMEOUT_MILLIS)
                        .inflightRequestsLimit(MOST_IN_FLIGHT)
                        .build()))
            : Futures.value(
                GlideClient.createClient(
                    GlideClientConfiguration.builder()
                        .address(address)
                        .requestTimeout(TIMEOUT_MILLIS)
                        .inflightRequestsLimit(MOST_IN_FLIGHT)
                        .build()));
  }

  /** Why the client does not run on this machine, or null if it does. */
  static @Nullable String absence() {
    return NativeLibrary.ABSENCE;
  }

  /** Loaded once, and only if somebody asks: the library is unpacked into a file. */
  private static final class NativeLibrary {

    static final @Nullable String ABSENCE = load();

    private NativeLibrary() {}
  }

  private static @Nullable String load() {
    try {
      Class.forName(NATIVE_LIBRARY).getMethod("loadGlideLib").invoke(null);
      return null;
    } catch (ReflectiveOperationException | LinkageError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return "Valkey GLIDE is left out, its native library does not load here: " + cause;
    }
  }

  @Override
  public @Nullable String get(String key) {
    return Futures.value(client.get(key));
  }

  @Override
  public @Nullable String[] getMany(Way way, String[] keys) {
    return switch (way) {
      case MANY_KEY_CALL -> Futures.value(client.mget(keys));
      case FUTURES -> Futures.values(Futures.each(keys, client::get));
      case PIPELINE -> batch(keys);
      default -> throw new UnsupportedOperationException("Valkey GLIDE has no " + way);
    };
  }

  private @Nullable String[] batch(String[] keys) {
    Object[] replies;
    if (client instanceof GlideClusterClient cluster) {
      ClusterBatch batch = new ClusterBatch(false);
      for (String key : keys) {
        batch.get(key);
      }
      replies = Futures.value(cluster.exec(batch, true));
    } else {
      Batch batch = new Batch(false);
      for (String key : keys) {
        batch.get(key);
      }
      replies = Futures.value(((GlideClient) client).exec(batch, true));
    }
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = (String) replies[i];
    }
    return values;
  }

  @Override
  public void ping() {
    Futures.value(
        client instanceof GlideClusterClient cluster
            ? cluster.ping()
            : ((GlideClient) client).ping());
  }

  @Override
  public void close() {
    try {
      client.close();
    } catch (ExecutionException e) {
      throw new IllegalStateException("Valkey GLIDE could not be closed", e);
    }
  }
}
