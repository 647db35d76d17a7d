// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.BatchingOptions;
import dev.sheaf.ConnectionLostException;
import dev.sheaf.Deferred;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads whose replies are lost, or that nobody waits for any more. */
@Timeout(180)
class LostReadsTest {

  /** What had come of the reply must not stand twice in the answer. */
  @ParameterizedTest
  @ValueSource(ints = {5, 60, 300, 700})
  void listThatCameInPart_isWholeOrFails(int bytes) throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      List<String> elements = IntStream.range(0, 100).mapToObj(i -> "element" + i).toList();
      sheaf.sync().rpush("list", elements.toArray(String[]::new));
      sheaf.sync().set("key", "value");
      proxy.cutAfterBytesToClient(bytes);
      RedisFuture<List<String>> list = sheaf.async().lrange("list", 0, -1);
      RedisFuture<String> next = sheaf.async().get("key");
      try {
        assertThat(list.get(20, TimeUnit.SECONDS)).isEqualTo(elements);
      } catch (ExecutionException e) {
        assertThat(e).cause().isInstanceOf(ConnectionLostException.class);
      }
      assertThat(next.get(20, TimeUnit.SECONDS)).isEqualTo("value");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5, 60, 300, 700})
  void pageThatCameInPart_isReadAgain(int bytes) throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      List<String> keys = IntStream.range(0, 100).mapToObj(i -> "key" + i).toList();
      keys.forEach(key -> sheaf.sync().set(key, "value of " + key));
      proxy.cutAfterBytesToClient(bytes);
      Map<String, Result<String>> page = sheaf.getAll(keys);
      assertThat(page.keySet()).containsExactlyElementsOf(keys);
      page.forEach((key, value) -> assertThat(value.orNull()).isEqualTo("value of " + key));
    }
  }

  /** The part of a reply that was lost does not count towards the limit of the whole one. */
  @Test
  void valueThatTwoAskFor_isDecodedFromTheStart_whenItIsReadAgain() throws Exception {
    int size = 10_000;
    CompressionOptions lessThanTwo =
        CompressionOptions.builder().maxReplyBytes(size + size / 2).build();
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port()).compression(lessThanTwo).connect();
        Sheaf<String, String> plain = Sheaf.connect(server.uri())) {
      String value = "v".repeat(size);
      sheaf.sync().set("key", value);
      plain.sync().set("last", "plain".repeat(size));
      proxy.cutAfterBytesToClient(plain.sync().strlen("key") + size);
      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<String> one = batch.get("key");
        Deferred<String> other = batch.get("key");
        Deferred<String> last = batch.get("last");
        assertThat(one.get()).isEqualTo(value);
        assertThat(other.get()).isEqualTo(value);
        assertThat(last.get()).hasSize(5 * size);
      }
    }
  }

  /** By whichever face: a read that is sent again must not see what its caller wrote later. */
  @Test
  void readBeforeAWriteThatRan_doesNotSeeIt_whenTheConnectionIsLost() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port());
        Sheaf<String, String> observer = Sheaf.connect(server.uri())) {
      sheaf.sync().set("r", "before");
      sheaf.sync().set("a", "before");
      proxy.pauseToClient(true);
      CompletableFuture<String> reactive = sheaf.reactive().get("r").toFuture();
      RedisFuture<String> async = sheaf.async().get("a");
      RedisFuture<String> firstWrite = sheaf.async().set("r", "after");
      RedisFuture<String> secondWrite = sheaf.async().set("a", "after");
      Await.until(
          "the writes to run",
          Duration.ofSeconds(10),
          () ->
              "after".equals(observer.sync().get("r")) && "after".equals(observer.sync().get("a")));
      proxy.resetConnections();
      proxy.pauseToClient(false);

      assertThatThrownBy(() -> firstWrite.get(20, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(OutcomeUnknownException.class);
      assertThatThrownBy(() -> secondWrite.get(20, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(OutcomeUnknownException.class);
      assertThatThrownBy(() -> async.get(20, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(ConnectionLostException.class);
      assertThatThrownBy(() -> reactive.get(20, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(ConnectionLostException.class);
    }
  }

  /** Without it, all that follows would be in the old database. */
  @Test
  void selectIsSentAgain_andTheReadBehindIt() throws Exception {
    afterLosing(
        async -> async.select(1),
        async -> async.get("behind"),
        read -> assertThat(read.get(20, TimeUnit.SECONDS)).isNull(),
        select -> assertThat(select.get(20, TimeUnit.SECONDS)).isEqualTo("OK"));
  }

  /** After the reconnect the connection is in its old database, where the key is another one. */
  @Test
  void readBehindACancelledSelect_failsWhenTheConnectionIsLost() throws Exception {
    List<RedisFuture<String>> selects = new ArrayList<>();
    afterLosing(
        async -> {
          selects.add(async.select(1));
          return selects.get(0);
        },
        async -> async.get("behind"),
        () -> selects.get(0).cancel(true),
        read ->
            assertThatThrownBy(() -> read.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("SELECT"),
        select -> assertThat(select.isCancelled()).isTrue());
  }

  @Test
  void readBeforeASelect_isSentAgain_andTheSelectBehindIt() throws Exception {
    afterLosing(
        async -> async.get("before"),
        async -> async.select(1),
        select -> assertThat(select.get(20, TimeUnit.SECONDS)).isEqualTo("OK"),
        read -> assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo("value"));
  }

  @Test
  void readBeforeAFlush_failsWhenTheConnectionIsLost() throws Exception {
    afterLosing(
        async -> async.get("before"),
        async -> async.flushall(),
        flush -> assertOutcomeUnknown(flush),
        read ->
            assertThatThrownBy(() -> read.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(ConnectionLostException.class));
  }

  @Test
  void countOfKeysBeforeAWrite_failsWhenTheConnectionIsLost() throws Exception {
    afterLosing(
        async -> async.dbsize(),
        async -> async.set("another", "value"),
        write -> assertOutcomeUnknown(write),
        count ->
            assertThatThrownBy(() -> count.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(ConnectionLostException.class));
  }

  /** A value is no key, though it has the same bytes. */
  @Test
  void readOfAKeyThatALaterWriteHasAsItsValue_isSentAgain() throws Exception {
    afterLosing(
        async -> async.get("before"),
        async -> async.set("another", "before"),
        write -> assertOutcomeUnknown(write),
        read -> assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo("value"));
  }

  private static void assertOutcomeUnknown(RedisFuture<?> given) {
    assertThatThrownBy(() -> given.get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(OutcomeUnknownException.class);
  }

  private interface Check<T> {
    void run(RedisFuture<T> answer) throws Exception;
  }

  private static <A, B> void afterLosing(
      Function<RedisAsyncCommands<String, String>, RedisFuture<A>> first,
      Function<RedisAsyncCommands<String, String>, RedisFuture<B>> second,
      Check<B> ofSecond)
      throws Exception {
    afterLosing(first, second, ofSecond, LostReadsTest::assertOutcomeUnknown);
  }

  /** Sends two commands, and loses the connection before the replies come. */
  private static <A, B> void afterLosing(
      Function<RedisAsyncCommands<String, String>, RedisFuture<A>> first,
      Function<RedisAsyncCommands<String, String>, RedisFuture<B>> second,
      Check<B> ofSecond,
      Check<A> ofFirst)
      throws Exception {
    afterLosing(first, second, () -> {}, ofSecond, ofFirst);
  }

  private static <A, B> void afterLosing(
      Function<RedisAsyncCommands<String, String>, RedisFuture<A>> first,
      Function<RedisAsyncCommands<String, String>, RedisFuture<B>> second,
      Runnable meanwhile,
      Check<B> ofSecond,
      Check<A> ofFirst)
      throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      sheaf.sync().set("before", "value");
      sheaf.sync().set("behind", "value of the first database");
      // What the server has not seen cannot change what a read that is sent again finds.
      proxy.delay(Duration.ofSeconds(30));
      RedisAsyncCommands<String, String> async = sheaf.standalone().async();
      RedisFuture<A> firstAnswer = first.apply(async);
      RedisFuture<B> secondAnswer = second.apply(async);
      Await.until(
          "both to be written",
          Duration.ofSeconds(10),
          () -> proxy.stats().bytesInFlight() > 0 && pipelineOf(sheaf).isIdle());
      meanwhile.run();
      proxy.delay(Duration.ZERO);
      proxy.resetConnections();
      ofSecond.run(secondAnswer);
      ofFirst.run(firstAnswer);
    }
  }

  /** Given up in the moment between being taken from the queue and being written. */
  @Test
  void commandsGivenUpAsTheyAreWritten_doNotCountAsInFlightForEver() throws Exception {
    BatchingOptions few =
        BatchingOptions.builder().maxInFlightCommands(3).maxInFlightBytes(10_000).build();
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri())
                .batching(few)
                .commandTimeout(Duration.ofSeconds(5))
                .connect()) {
      sheaf.sync().set("k", "v");
      for (int i = 0; i < 10; i++) {
        sheaf.standalone().dispatch(new GivenUpWhenWritten());
        // Else the next one would share its flight, which is then written for its sake.
        Await.until(
            "the command to be taken",
            Duration.ofSeconds(5),
            () -> pipelineOf(sheaf).queue().commands() == 0 && pipelineOf(sheaf).isIdle());
      }
      assertThat(sheaf.async().get("k").get(5, TimeUnit.SECONDS)).isEqualTo("v");
    }
  }

  private static NodePipeline pipelineOf(Sheaf<?, ?> sheaf) {
    var connection = (io.lettuce.core.RedisChannelHandler<?, ?>) sheaf.standalone();
    return ((NodeWriter) connection.getChannelWriter()).pipeline();
  }

  /** Done from the second time that somebody asks. */
  private static final class GivenUpWhenWritten extends AsyncCommand<String, String, String> {

    private final AtomicInteger asked = new AtomicInteger();

    GivenUpWhenWritten() {
      super(
          new Command<>(
              CommandType.GET,
              new ValueOutput<>(StringCodec.UTF8),
              new CommandArgs<>(StringCodec.UTF8).addKey("k")));
    }

    @Override
    public boolean isDone() {
      return asked.incrementAndGet() > 1 || super.isDone();
    }
  }
}
