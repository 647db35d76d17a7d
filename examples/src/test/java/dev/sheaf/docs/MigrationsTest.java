// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.junit.EmbeddedRedis;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.Redisson;
import org.redisson.api.BatchResult;
import org.redisson.api.RBatch;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.RedisClient.Builder;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;

/** The code of docs/migrate, before and after, on one server: both do the same. */
@Timeout(180)
@EmbeddedRedis(scope = EmbeddedRedis.Scope.CLASS)
class MigrationsTest {

  private static final List<String> KEYS = List.of("item:1", "item:2", "item:3");

  private static void show(Object... values) {
    assertThat(values).doesNotContainNull();
  }

  @Test
  void lettuce_connectionAndCalls(EmbeddedServer server) throws Exception {
    String uri = server.uri();
    RedisClient client = RedisClient.create(uri);
    StatefulRedisConnection<String, String> connection = client.connect();
    connection.sync().set("item:1", "apple");
    RedisFuture<String> before = connection.async().get("item:1");
    show(before.get());

    Sheaf<String, String> sheaf = Sheaf.connect(uri);
    sheaf.sync().set("item:1", "apple");
    RedisFuture<String> item = sheaf.async().get("item:1");
    show(item.get());

    assertThat(item.get()).isEqualTo(before.get());
    client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
    sheaf.close();
  }

  @Test
  void lettuce_flushesByHand(EmbeddedServer server) throws Exception {
    server.data().set("item:1", "apple");
    List<String> before = new ArrayList<>();
    try (RedisClient client = RedisClient.create(server.uri());
        StatefulRedisConnection<String, String> connection = client.connect()) {
      RedisAsyncCommands<String, String> redis = connection.async();
      connection.setAutoFlushCommands(false);
      List<RedisFuture<String>> futures = new ArrayList<>();
      for (String key : KEYS) {
        futures.add(redis.get(key));
      }
      connection.flushCommands();
      LettuceFutures.awaitAll(5, TimeUnit.SECONDS, futures.toArray(new RedisFuture<?>[0]));
      connection.setAutoFlushCommands(true);

      for (RedisFuture<String> future : futures) {
        before.add(future.get());
      }
    }
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, Result<String>> page = sheaf.getAll(KEYS);

      assertThat(page.values().stream().map(Result::orNull)).containsExactlyElementsOf(before);
    }
  }

  @Test
  void jedis_pipeline(EmbeddedServer server) {
    server.data().set("item:1", "apple");
    try (redis.clients.jedis.RedisClient jedis =
            new Builder().hostAndPort("127.0.0.1", server.port()).build();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<Object> before = new ArrayList<>();
      try (AbstractPipeline pipeline = jedis.pipelined()) {
        Response<String> item = pipeline.get("item:1");
        Response<Long> visits = pipeline.incr("visits");
        pipeline.sync();
        show(item.get(), visits.get());

        before.add(item.get());
      }
      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<String> item = batch.add(redis -> redis.get("item:1"));
        Deferred<Long> visits = batch.add(redis -> redis.incr("visits"));
        show(item.get(), visits.get());

        assertThat(item.get()).isEqualTo(before.get(0));
        assertThat(visits.get()).isEqualTo(2);
      }
    }
  }

  /** What the page says of errors, on both sides. */
  @Test
  void jedis_errors(EmbeddedServer server) {
    server.data().set("text", "apple");
    try (redis.clients.jedis.RedisClient jedis =
            new Builder().hostAndPort("127.0.0.1", server.port()).build();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      try (AbstractPipeline pipeline = jedis.pipelined()) {
        Response<Long> wrong = pipeline.incr("text");
        Response<Long> right = pipeline.incr("visits");
        pipeline.sync();
        assertThat(right.get()).isEqualTo(1);
        assertThatThrownBy(wrong::get).isInstanceOf(JedisDataException.class);
      }
      Batch<String, String> batch = sheaf.batch();
      Deferred<Long> wrong = batch.add(redis -> redis.incr("text"));
      Deferred<Long> right = batch.add(redis -> redis.incr("visits"));
      assertThat(right.get()).isEqualTo(2);
      assertThatThrownBy(wrong::get).isInstanceOf(RedisCommandExecutionException.class);
      batch.close();

      Batch<String, String> unread = sheaf.batch();
      Deferred<Long> nobodyReads = unread.add(redis -> redis.incr("text"));
      assertThatThrownBy(unread::close).isInstanceOf(RedisException.class);
      assertThat(nobodyReads).isNotNull();
    }
  }

  @Test
  void redisson_batch(EmbeddedServer server) throws Exception {
    server.data().set("item:1", "apple");
    Config config = new Config();
    config.useSingleServer().setAddress(server.uri()).setConnectionMinimumIdleSize(1);
    RedissonClient redisson = Redisson.create(config);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RBatch rbatch = redisson.createBatch();
      RFuture<String> itemBefore =
          rbatch.<String>getBucket("item:1", StringCodec.INSTANCE).getAsync();
      RFuture<Long> visitsBefore = rbatch.getAtomicLong("visits").incrementAndGetAsync();
      BatchResult<?> all = rbatch.execute();
      show(itemBefore.get(), visitsBefore.get(), all.getResponses());

      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<String> item = batch.add(redis -> redis.get("item:1"));
        Deferred<Long> visits = batch.add(redis -> redis.incr("visits"));
        show(item.get(), visits.get());

        assertThat(item.get()).isEqualTo(itemBefore.get());
        assertThat(visits.get()).isEqualTo(2);
      }

      // What the page says of errors.
      RBatch failing = redisson.createBatch();
      RFuture<Long> wrong = failing.getAtomicLong("item:1").incrementAndGetAsync();
      RFuture<Long> right = failing.getAtomicLong("visits").incrementAndGetAsync();
      assertThatThrownBy(failing::execute).isInstanceOf(org.redisson.client.RedisException.class);
      assertThatThrownBy(wrong::get).isInstanceOf(ExecutionException.class);
      assertThat(sheaf.sync().get("visits")).isEqualTo("3");
      assertThat((Object) right).isNotNull();
    } finally {
      redisson.shutdown(0, 5, TimeUnit.SECONDS);
    }
  }

  @Test
  void redisson_atomicBatch_isATransactionOfAClientOfItsOwn(EmbeddedServer server) {
    String uri = server.uri();
    try (Sheaf<String, String> transactions = Sheaf.connect(uri)) {
      synchronized (transactions) {
        transactions.standalone().sync().multi();
        transactions.standalone().sync().decrby("stock", 1);
        transactions.standalone().sync().incrby("sold", 1);
        transactions.standalone().sync().exec();
      }

      assertThat(transactions.sync().get("stock")).isEqualTo("-1");
      assertThat(transactions.sync().get("sold")).isEqualTo("1");
    }
  }
}
