// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.spring.connection.BatchingConnectionFactory;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.core.Ordered;

/**
 * Opens the connections to all nodes, and waits for a reply from each, before the application is
 * ready. Otherwise the first requests and the first health check would wait for that. Connections
 * that are not open in time are logged, and opened at first use.
 */
final class WarmUp implements ApplicationRunner, Ordered {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.spring");

  private final Collection<BatchingConnectionFactory> factories;
  private final Duration timeout;

  WarmUp(Collection<BatchingConnectionFactory> factories, Duration timeout) {
    this.factories = factories;
    this.timeout = timeout;
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public void run(ApplicationArguments arguments) throws InterruptedException {
    CompletableFuture<Void> done = new CompletableFuture<>();
    // A separate thread, because connecting blocks, possibly longer than the application waits.
    Thread thread = new Thread(() -> connectAll(done), "sheaf-warm-up");
    thread.setDaemon(true);
    thread.start();
    try {
      done.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      LOG.warn(
          "Redis was not connected within sheaf.warm-up.timeout, " + timeout.toMillis() + " ms");
    } catch (ExecutionException e) {
      LOG.warn("Redis could not be connected before the application is ready: " + e.getCause());
    }
  }

  private void connectAll(CompletableFuture<Void> done) {
    try {
      List<CompletableFuture<?>> opening = new ArrayList<>();
      for (BatchingConnectionFactory factory : factories) {
        // Where templates share no connection, none can be opened in advance.
        if (factory.isRunning() && factory.batches() && factory.getShareNativeConnection()) {
          opening.add(factory.shared().availability().withTimeout(timeout).pingAsync());
          opening.addAll(openNodes(factory.sharedConnection()));
        }
      }
      CompletableFuture.allOf(opening.toArray(CompletableFuture[]::new))
          .whenComplete(
              (opened, failure) -> {
                if (failure == null) {
                  done.complete(null);
                } else {
                  done.completeExceptionally(failure);
                }
              });
    } catch (RuntimeException e) {
      done.completeExceptionally(e);
    }
  }

  private static List<CompletableFuture<?>> openNodes(StatefulConnection<?, ?> connection) {
    List<CompletableFuture<?>> opening = new ArrayList<>();
    if (connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
      for (RedisClusterNode node : cluster.getPartitions()) {
        if (node.getRole().isUpstream() && !node.getSlots().isEmpty()) {
          opening.add(cluster.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort()));
        }
      }
    }
    return opening;
  }
}
