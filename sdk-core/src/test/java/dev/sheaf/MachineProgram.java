// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.testkit.VirtualThreads;
import io.lettuce.core.resource.Transports;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** A client that many threads use at once, and that says what it met. */
final class MachineProgram {

  private static final String SAYS = "MACHINE ";
  private static final long EXPECTED;

  private static final int THREADS = 32;
  private static final int ROUNDS = 20;
  private static final int KEYS = 4;
  private static final int SHOWN = 3;
  private static final String PINNED = "jdk.VirtualThreadPinned";
  private static final String VALUE = "v".repeat(10_000);

  static {
    // Each key by GET, by getAll and in a loop.
    EXPECTED = 3L * THREADS * ROUNDS * KEYS;
  }

  private MachineProgram() {}

  /**
   * Runs it.
   *
   * @param arguments the URI of a server
   */
  public static void main(String[] arguments) throws Exception {
    boolean virtual = "virtual".equals(System.getProperty("threads"));
    AtomicLong right = new AtomicLong();
    long pinned = 0;
    try (Sheaf<String, String> sheaf = Sheaf.connect(arguments[0])) {
      if (virtual) {
        // Classes are loaded and initialized before, which pins the thread that does it.
        all(Thread::new, sheaf, new AtomicLong());
        pinned = pinned(() -> all(VirtualThreads::unstarted, sheaf, right));
      } else {
        all(Thread::new, sheaf, right);
      }
      say("right", right.get());
      say("processors", Runtime.getRuntime().availableProcessors());
      say("heapMegabytes", Runtime.getRuntime().maxMemory() >> 20);
      say("eventLoops", eventLoops());
      say("epoll", Transports.socketChannelClass() == EpollSocketChannel.class ? 1 : 0);
      say("ioUring", Transports.socketChannelClass() == IoUringSocketChannel.class ? 1 : 0);
      say("virtual", virtual ? 1 : 0);
      say("pinned", pinned);
    }
  }

  /** What a run printed, which has found all that it had written. */
  static Map<String, Long> said(String output) {
    Map<String, Long> said =
        output
            .lines()
            .filter(line -> line.startsWith(SAYS))
            .map(line -> line.substring(SAYS.length()).split("="))
            .collect(Collectors.toMap(pair -> pair[0], pair -> Long.valueOf(pair[1])));
    assertThat(said).as(output).containsEntry("right", EXPECTED);
    return said;
  }

  /** Why a test of io_uring is skipped. */
  static String withoutIoUring() {
    return "io_uring is not available here: " + IoUring.unavailabilityCause();
  }

  private static void say(String name, long number) {
    System.out.println(SAYS + name + "=" + number);
  }

  private static void all(ThreadFactory factory, Sheaf<String, String> sheaf, AtomicLong right)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int number = 0; number < THREADS; number++) {
      String prefix = "thread:" + number + ":";
      threads.add(factory.newThread(() -> use(sheaf, prefix, right)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void use(Sheaf<String, String> sheaf, String prefix, AtomicLong right) {
    List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> prefix + i).toList();
    for (int round = 0; round < ROUNDS; round++) {
      String value = round + VALUE;
      for (String key : keys) {
        sheaf.sync().set(key, value);
        count(right, value.equals(sheaf.sync().get(key)));
      }
      Map<String, Result<String>> all = sheaf.getAll(keys);
      keys.forEach(key -> count(right, value.equals(all.get(key).orNull())));
      for (String key : sheaf.loop(keys)) {
        count(right, value.equals(sheaf.sync().get(key)));
      }
    }
  }

  private static void count(AtomicLong right, boolean isRight) {
    if (isRight) {
      right.incrementAndGet();
    }
  }

  private static long eventLoops() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("sheaf-io"))
        .count();
  }

  private interface Work {
    void run() throws Exception;
  }

  /** How often a virtual thread waited in this project's code without leaving its carrier. */
  private static long pinned(Work work) throws Exception {
    Path file = Files.createTempFile("pinned", ".jfr");
    try (Recording recording = new Recording()) {
      recording.enable(PINNED).withThreshold(Duration.ZERO).withStackTrace();
      recording.start();
      work.run();
      recording.stop();
      recording.dump(file);
      List<RecordedEvent> events = RecordingFile.readAllEvents(file);
      List<RecordedEvent> ours = events.stream().filter(MachineProgram::isOurs).toList();
      ours.stream().limit(SHOWN).forEach(System.out::println);
      return ours.size();
    } finally {
      Files.delete(file);
    }
  }

  private static boolean isOurs(RecordedEvent event) {
    if (!event.getEventType().getName().equals(PINNED)) {
      return false; // The client's own events are in the recording, too.
    }
    return event.getStackTrace() == null
        || event.getStackTrace().getFrames().stream()
            .map(frame -> frame.getMethod().getType().getName())
            .anyMatch(
                type ->
                    type.startsWith("dev.sheaf.") && !type.equals(MachineProgram.class.getName()));
  }
}
