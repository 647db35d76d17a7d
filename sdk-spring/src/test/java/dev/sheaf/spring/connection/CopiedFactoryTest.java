// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnection.PipeliningFlushPolicy;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What a factory was told and has no getter for holds for the one in its place. */
class CopiedFactoryTest {

  @Test
  void executorAndFlushPolicy_areKept() {
    AtomicInteger tasks = new AtomicInteger();
    SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("given-");
    executor.setTaskDecorator(
        task -> {
          tasks.incrementAndGet();
          return task;
        });
    AtomicInteger pipelines = new AtomicInteger();
    PipeliningFlushPolicy policy =
        () -> {
          pipelines.incrementAndGet();
          return PipeliningFlushPolicy.flushEachCommand().newPipeline();
        };
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start()) {
      LettuceConnectionFactory told =
          new LettuceConnectionFactory(
              new RedisClusterConfiguration(List.of("127.0.0.1:" + server.port())));
      told.setExecutor(executor);
      told.setPipeliningFlushPolicy(policy);
      told.setPhase(7);
      BatchingConnectionFactory factory =
          BatchingConnectionFactory.like(
              told,
              "factory",
              UnaryOperator.identity(),
              reason -> {
                throw new AssertionError(reason);
              });
      assertThat(factory.getPhase()).isEqualTo(7);
      factory.afterPropertiesSet();
      factory.start();
      try {
        assertThat(factory.getClusterConnection().ping()).isEqualTo("PONG");
        assertThat(tasks).hasValue(3);
        StringRedisTemplate template = new StringRedisTemplate(factory);
        template.executePipelined(
            (RedisCallback<Object>)
                connection -> {
                  connection.stringCommands().set(new byte[] {'k'}, new byte[] {'v'});
                  return null;
                });
        assertThat(pipelines.get()).isPositive();
        assertThat(template.opsForValue().get("k")).isEqualTo("v");
      } finally {
        factory.destroy();
      }
    }
  }
}
