// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

class LeakCheckTest {
  private static CountDownLatch end = new CountDownLatch(1);

  @BeforeEach
  void start() {
    end = new CountDownLatch(1);
  }

  @AfterEach
  void endThreads() {
    end.countDown();
  }

  @Test
  void threadThatKeepsTheJvmAlive_failsTheClassByName() {
    assertFailsNaming(run(LeavesNonDaemon.class), "left-behind");
  }

  @Test
  void daemonThreadOfLettuce_failsTheClassByName() {
    assertFailsNaming(run(LeavesLettuce.class), "lettuce-left-behind");
  }

  @Test
  void otherDaemonThread_andThreadsThatEnd_pass() {
    assertThat(run(LeavesOtherDaemon.class).failed().count()).isZero();
    assertThat(run(EndsInTime.class).failed().count()).isZero();
  }

  @Test
  void bufferThatIsNotReleased_failsTheClass() {
    Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(Level.PARANOID);
    try {
      run(LosesBuffer.class)
          .failed()
          .assertThatEvents()
          .hasSize(1)
          .have(event(finishedWithFailure(message(m -> m.contains("a buffer was not released")))));
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  @Test
  void bufferOfTheNameResolver_isNettysToRelease_butNoOther() {
    String read = "Created at:\n\tio.netty.channel.uring.%s.scheduleRead0(%s.java:476)";
    String datagram = "IoUringDatagramChannel$IoUringDatagramChannelUnsafe";
    String stream = "AbstractIoUringStreamChannel$IoUringStreamUnsafe";
    assertThat(LeakCheck.isOfNameResolver(read.formatted(datagram, "IoUringDatagramChannel")))
        .isTrue();
    assertThat(LeakCheck.isOfNameResolver(read.formatted(stream, "AbstractIoUringStreamChannel")))
        .isFalse();
  }

  private static void assertFailsNaming(Events containers, String thread) {
    containers
        .failed()
        .assertThatEvents()
        .hasSize(1)
        .have(event(finishedWithFailure(message(m -> m.contains("leaves [" + thread + "]")))));
  }

  private static Events run(Class<?> testClass) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(testClass))
        .configurationParameter("sheaf.leakTimeoutMillis", "300")
        .execute()
        .containerEvents();
  }

  private static void startThread(String name, boolean daemon, CountDownLatch until) {
    Thread thread =
        new Thread(
            () -> {
              try {
                until.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            name);
    thread.setDaemon(daemon);
    thread.start();
  }

  @ExtendWith(LeakCheck.class)
  static class LeavesNonDaemon {
    @Test
    void test() {
      startThread("left-behind", false, end);
    }
  }

  @ExtendWith(LeakCheck.class)
  static class LeavesLettuce {
    @Test
    void test() {
      startThread("lettuce-left-behind", true, end);
    }
  }

  @ExtendWith(LeakCheck.class)
  static class LeavesOtherDaemon {
    @Test
    void test() {
      startThread("other", true, end);
    }
  }

  @ExtendWith(LeakCheck.class)
  static class LosesBuffer {
    @Test
    void test() {
      UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
      allocator.directBuffer(16).writeByte(1);
      Await.until(
          "the loss to be seen",
          Duration.ofSeconds(60),
          () -> {
            System.gc();
            // Netty looks for lost ones whenever it makes another.
            allocator.directBuffer(16).release();
            return LeakCheck.hasLeak();
          });
    }
  }

  @ExtendWith(LeakCheck.class)
  static class EndsInTime {
    @Test
    void test() {
      CountDownLatch ends = new CountDownLatch(1);
      startThread("sheaf-ends", true, ends);
      ends.countDown();
    }
  }
}
