// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import io.netty.buffer.ByteBufUtil;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails a test class that leaves threads behind: any that keeps a JVM alive, and any of the
 * client's or Lettuce's. Fails one, too, in which Netty finds that a buffer was never released; it
 * may have been lost in a class before. It is registered for every test class.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  private static final Namespace NAMESPACE = Namespace.create(LeakCheck.class);

  /** Netty's executor, which ends by itself when it has been idle, and JUnit's own. */
  private static final List<String> EXEMPT = List.of("globalEventExecutor-", "junit-");

  private static final Set<Thread> shared = ConcurrentHashMap.newKeySet();
  private static final Queue<String> leaked = new ConcurrentLinkedQueue<>();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  static {
    ByteBufUtil.setLeakListener(
        (type, records) -> {
          if (!isOfNameResolver(records)) {
            leaked.add(type + " " + records);
          }
        });
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (isOutermost(context)) {
      context.getStore(NAMESPACE).put(Threads.class, new Threads(suspects()));
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Threads before = context.getStore(NAMESPACE).get(Threads.class, Threads.class);
    if (!isOutermost(context) || before == null) {
      return;
    }
    String buffer = leaked.poll();
    if (buffer != null) {
      leaked.clear();
      throw new AssertionError("a buffer was not released, here or in a class before: " + buffer);
    }
    Await.within(
        timeout(context),
        context.getRequiredTestClass().getName() + " to end the threads it started",
        () -> before.all().containsAll(suspects()),
        () -> "; it leaves " + names(suspects(), before.all()));
  }

  /**
   * Whether the records are of the buffer that Netty's name resolver reads into over io_uring.
   * Netty 4.2.18 loses it now and then when an event loop ends on a busy machine, with plain
   * Lettuce, too. Nothing of the client opens a datagram channel.
   */
  static boolean isOfNameResolver(String records) {
    return records.contains("io.netty.channel.uring.IoUringDatagramChannel");
  }

  /** Whether Netty has found a buffer that was never released. */
  static boolean hasLeak() {
    return !leaked.isEmpty();
  }

  private static Duration timeout(ExtensionContext context) {
    return context
        .getConfigurationParameter("sheaf.leakTimeoutMillis", Long::valueOf)
        .map(Duration::ofMillis)
        .orElse(TIMEOUT);
  }

  private static boolean isOutermost(ExtensionContext context) {
    return context.getParent().flatMap(ExtensionContext::getTestClass).isEmpty();
  }

  /** Exempts the threads that were started since: they belong to servers that all tests share. */
  static void exempt(Set<Thread> startedBefore) {
    Set<Thread> started = suspects();
    started.removeAll(startedBefore);
    shared.addAll(started);
  }

  /** The threads that a test class must not leave behind. */
  public static Set<Thread> suspects() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> isSuspect(thread) && !shared.contains(thread))
        .collect(Collectors.toSet());
  }

  private static boolean isSuspect(Thread thread) {
    String name = thread.getName();
    if (EXEMPT.stream().anyMatch(name::startsWith)) {
      return false;
    }
    return !thread.isDaemon() || name.startsWith("lettuce-") || name.startsWith("sheaf-");
  }

  private static Set<String> names(Set<Thread> threads, Set<Thread> without) {
    Set<String> names = new TreeSet<>();
    threads.stream().filter(t -> !without.contains(t)).map(Thread::getName).forEach(names::add);
    return names;
  }

  private record Threads(Set<Thread> all) {}
}
