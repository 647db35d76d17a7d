// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client whose connections somebody else makes. */
class BatchingClientTest {

  /** As a framework would have it. */
  public interface Values {
    byte[] get(byte[] key);
  }

  private final ClientResources resources = ClientResources.create();
  private EmbeddedServer server = EmbeddedServer.start();
  private BatchingClient batching;
  private StatefulConnection<byte[], byte[]> connection;
  private Sheaf<byte[], byte[]> sheaf;

  private void connect(boolean cluster) {
    if (cluster) {
      server.close();
      server = EmbeddedServer.builder().cluster(3, 0).start();
    }
    SheafBuilder<String, String> options =
        Sheaf.builder(List.of(RedisURI.create(server.uri()))).clientResources(resources);
    batching = cluster ? options.clusterClient() : options.serverClient();
    connection =
        batching.lettuce() instanceof RedisClusterClient nodes
            ? nodes.connect(ByteArrayCodec.INSTANCE)
            : ((RedisClient) batching.lettuce()).connect(ByteArrayCodec.INSTANCE);
    sheaf = batching.over(connection, ByteArrayCodec.INSTANCE);
  }

  @AfterEach
  void close() {
    if (batching != null) {
      sheaf.close();
      batching.lettuce().shutdown();
      batching.close();
    }
    server.close();
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Each call makes arrays of its own, as serializers do. */
  private static List<byte[]> keys() {
    return IntStream.range(0, 50).mapToObj(i -> bytes("key:" + i)).toList();
  }

  private void fill() {
    keys().forEach(key -> sheaf.sync().set(key, key));
  }

  private Values values(AtomicBoolean waits) {
    return batching.blocking(
        sheaf,
        Values.class,
        key -> sheaf.async().get(key).toCompletableFuture().join(),
        waits::get);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLoopOverArrays_isAnsweredAheadInAnotherInterface(boolean cluster) {
    connect(cluster);
    fill();
    Values values = values(new AtomicBoolean(true));
    List<String> read = new ArrayList<>();
    server.resetStats();

    for (byte[] key : sheaf.loop(keys())) {
      read.add(new String(values.get(key.clone()), StandardCharsets.UTF_8));
    }

    assertThat(read).isEqualTo(keys().stream().map(String::new).toList());
    assertThat(server.stats().readBatches()).isLessThanOrEqualTo(cluster ? 12 : 4);
  }

  @Test
  void builderThatIsToldMoreLater_leavesItsClientsAsTheyAre() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    SheafBuilder<String, String> options =
        Sheaf.builder(List.of(RedisURI.create(server.uri())))
            .clientResources(resources)
            .meterRegistry(registry)
            .name("first");
    batching = options.serverClient();
    options.name("second");
    connection = ((RedisClient) batching.lettuce()).connect(ByteArrayCodec.INSTANCE);
    sheaf = batching.over(connection, ByteArrayCodec.INSTANCE);
    assertThat(sheaf.availability().isAvailable()).isTrue();

    assertThat(registry.getMeters())
        .extracting(meter -> meter.getId().getTag("client"))
        .isNotEmpty()
        .containsOnly("first");
  }

  @Test
  void whileCallsDoNotWait_theyPassAsTheyAre() {
    connect(false);
    fill();
    Values values = values(new AtomicBoolean(false));
    server.resetStats();

    for (byte[] key : sheaf.loop(keys())) {
      assertThat(values.get(key)).isEqualTo(key);
    }

    assertThat(server.stats().count("get")).isEqualTo(50);
  }

  @Test
  void aWriteByAnotherConnectionOfTheClient_voidsWhatWasReadAhead() {
    connect(false);
    fill();
    Values values = values(new AtomicBoolean(true));
    try (var other = ((RedisClient) batching.lettuce()).connect()) {
      List<byte[]> keys = keys();
      int i = 0;
      for (byte[] key : sheaf.loop(keys)) {
        if (i == 3) {
          other.sync().set("key:4", "new");
        }
        assertThat(values.get(key)).isEqualTo(i == 4 ? bytes("new") : key);
        i++;
      }
    }
  }

  @Test
  void closingTheFace_leavesTheConnectionOpen() {
    connect(false);
    fill();
    sheaf.close();
    Sheaf<byte[], byte[]> second = batching.over(connection, ByteArrayCodec.INSTANCE);
    assertThat(second.sync().get(bytes("key:1"))).isEqualTo(bytes("key:1"));
    assertThat(second.availability().isAvailable()).isTrue();
    second.close();
    assertThat(connection.isOpen()).isTrue();
  }

  @Test
  void withoutResources_isRefused() {
    assertThatThrownBy(() -> Sheaf.builder(List.of(RedisURI.create(server.uri()))).serverClient())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("clientResources");
  }
}
