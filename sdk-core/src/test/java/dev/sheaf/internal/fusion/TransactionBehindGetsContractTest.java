// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What fused GETs have to ask again must not become part of a transaction behind them. */
class TransactionBehindGetsContractTest {

  @ForEachServer(on = Topology.STANDALONE)
  void transactionBehindMissingKeys_hasItsOwnRepliesAlone(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RedisAsyncCommands<String, String> redis = sheaf.standalone().async();
      Deferred<String> missing;
      Deferred<String> list;
      sheaf.sync().lpush("list", "x");
      try (Batch<String, String> batch = sheaf.batch()) {
        missing = batch.get("missing");
        list = batch.get("list");
        batch.add(commands -> redis.multi());
        batch.execute();
        assertThat(missing.get()).isNull();
        assertThatThrownBy(list::get).hasMessageStartingWith("WRONGTYPE");
        redis.set("written", "1");
        TransactionResult result = redis.exec().get(60, TimeUnit.SECONDS);
        assertThat(result.stream().map(Object::toString)).containsExactly("OK");
      }
      assertThat(sheaf.sync().get("written")).isEqualTo("1");
    }
  }

  /** What was asked before the transaction is not answered out of it. */
  @Test
  void mgetRefusedBeforeATransaction_leavesTheTransactionAlone() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      sheaf.sync().set("b", "2");
      var redis = sheaf.standalone().async();
      server.faults().failNext("mget", 1, "LOADING Redis is loading the dataset in memory");
      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<String> a = batch.get("a");
        Deferred<String> b = batch.get("b");
        batch.add(commands -> redis.multi());
        assertThat(a.get()).isEqualTo("1");
        assertThat(b.get()).isEqualTo("2");
        RedisFuture<Long> count = redis.incr("counter");
        assertThat(redis.exec().get(60, TimeUnit.SECONDS).size()).isEqualTo(1);
        assertThat(count.get(60, TimeUnit.SECONDS)).isEqualTo(1);
      }
    }
  }
}
