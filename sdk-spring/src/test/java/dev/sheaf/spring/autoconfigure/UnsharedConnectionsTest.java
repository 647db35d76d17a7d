// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.spring.SheafOperations;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A factory whose templates share no connection connects when plain Spring would, and not before.
 */
@Timeout(180)
class UnsharedConnectionsTest {

  private static ApplicationContextRunner runner(int port) {
    return new ApplicationContextRunner()
        .withPropertyValues("spring.data.redis.url=redis://127.0.0.1:" + port)
        .withBean(Unshared.class)
        .withConfiguration(
            AutoConfigurations.of(SheafAutoConfiguration.class, DataRedisAutoConfiguration.class));
  }

  /** Switches sharing off before the factory starts. */
  static final class Unshared
      implements org.springframework.beans.factory.config.BeanPostProcessor {

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
      if (bean instanceof LettuceConnectionFactory factory) {
        factory.setShareNativeConnection(false);
      }
      return bean;
    }
  }

  private static void warmUp(AssertableApplicationContext context) throws Exception {
    for (ApplicationRunner runner : context.getBeansOfType(ApplicationRunner.class).values()) {
      runner.run(new DefaultApplicationArguments());
    }
  }

  @Test
  void aConnectionThatIsNotUsed_connectsNothingAndACommandThrowsAsSprings() {
    EmbeddedServer server = EmbeddedServer.start();
    server.close();
    runner(server.port())
        .run(
            context -> {
              LettuceConnectionFactory factory = context.getBean(LettuceConnectionFactory.class);
              try (RedisConnection connection = factory.getConnection()) {
                assertThat(catchThrowable(() -> connection.stringCommands().get(new byte[1])))
                    .isInstanceOf(RedisConnectionFailureException.class);
              }
              StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
              assertThat(catchThrowable(() -> template.opsForValue().get("key")))
                  .isInstanceOf(RedisConnectionFailureException.class);
              assertThat(
                      catchThrowable(() -> SheafOperations.over(template).getAll(List.of("key"))))
                  .isInstanceOf(RedisConnectionFailureException.class);
            });
  }

  @Test
  void templates_openAsManyConnectionsAsWithoutTheStarter() {
    assertThat(connectionsOf("sheaf.enabled=true")).isEqualTo(connectionsOf("sheaf.enabled=false"));
  }

  private static long connectionsOf(String property) {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      runner(server.port())
          .withPropertyValues(property)
          .run(
              context -> {
                warmUp(context);
                StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
                template.opsForValue().set("key", "value");
                assertThat(template.opsForValue().get("key")).isEqualTo("value");
              });
      return server.stats().connectionsReceived();
    }
  }

  @Test
  void callersOfSheaf_shareOneAttemptThatAStopDoesNotWaitFor() throws IOException {
    try (SilentServer server = new SilentServer()) {
      runner(server.port())
          .withPropertyValues(
              "spring.data.redis.timeout=1h", "spring.data.redis.connect-timeout=1h")
          .run(
              context -> {
                SheafOperations<String, String> operations =
                    SheafOperations.over(context.getBean(StringRedisTemplate.class));
                List<Thread> callers = new ArrayList<>();
                List<CompletableFuture<Throwable>> outcomes = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                  CompletableFuture<Throwable> outcome = new CompletableFuture<>();
                  Thread caller =
                      new Thread(
                          () ->
                              outcome.complete(
                                  catchThrowable(() -> operations.getAll(List.of("key")))));
                  caller.setDaemon(true);
                  caller.start();
                  callers.add(caller);
                  outcomes.add(outcome);
                }
                server.awaitConnection();
                // A caller that waits for the monitor of another would be BLOCKED.
                Awaitility.await()
                    .until(
                        () ->
                            callers.stream()
                                .allMatch(
                                    caller ->
                                        caller.getState() == Thread.State.WAITING
                                            || caller.getState() == Thread.State.TIMED_WAITING));

                context.getBean(LettuceConnectionFactory.class).stop();

                for (CompletableFuture<Throwable> outcome : outcomes) {
                  assertThat(outcome.get(60, TimeUnit.SECONDS))
                      .isInstanceOf(RuntimeException.class);
                }
                assertThat(server.connections()).isEqualTo(1);
              });
    }
  }

  /** Takes connections and never says a word. */
  private static final class SilentServer implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final BlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();

    SilentServer() throws IOException {
      Thread thread =
          new Thread(
              () -> {
                try {
                  while (true) {
                    accepted.add(listener.accept());
                  }
                } catch (IOException closed) {
                  // The end of the test.
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    int port() {
      return listener.getLocalPort();
    }

    void awaitConnection() {
      Awaitility.await().until(() -> !accepted.isEmpty());
    }

    int connections() {
      return accepted.size();
    }

    @Override
    public void close() throws IOException {
      listener.close();
      for (Socket socket : accepted) {
        socket.close();
      }
    }
  }
}
