// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.rivals;

import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import glide.api.BaseClient;
import glide.api.GlideClient;
import glide.api.GlideClusterClient;
import glide.api.models.configuration.GlideClientConfiguration;
import glide.api.models.configuration.GlideClusterClientConfiguration;
import glide.api.models.configuration.NodeAddress;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/** Valkey GLIDE: one client for all threads, as its documentation advises. */
final class GlideRival implements Rival {

  /** The class that loads the native library. */
  private static final String NATIVE_LIBRARY = "glide.ffi.resolvers.NativeUtils";

  /** The default of 250 ms would fail reads of large values while code is being compiled. */
  private static final int TIMEOUT_MILLIS = 10_000;

  /** The default of 1,000 rejects a thousand concurrent threads. */
  private static final int MOST_IN_FLIGHT = 10_000;

  private final BaseClient client;

  GlideRival(ServerKind kind, String uri, int threads) {
    loadLibrary();
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

  private static void loadLibrary() {
    try {
      Class.forName(NATIVE_LIBRARY).getMethod("loadGlideLib").invoke(null);
    } catch (ReflectiveOperationException | LinkageError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnsupportedOperationException("its native library does not load: " + cause, e);
    }
  }

  @Override
  public @Nullable String get(String key) {
    return Futures.value(client.get(key));
  }

  @Override
  public void set(String key, String value) {
    Futures.value(client.set(key, value));
  }

  @Override
  public @Nullable String[] getAll(String[] keys) {
    return Futures.value(client.mget(keys));
  }

  @Override
  public @Nullable String[] getEach(String[] keys) {
    return Futures.values(Futures.each(keys, client::get));
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
