// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.ForkedJvm;
import dev.sheaf.testkit.VirtualThreads;
import io.netty.channel.uring.IoUring;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * A client in a JVM of its own, on machines smaller and larger than those of developers. What it
 * read and how often is looked at, and no times.
 */
class MachinesTest {

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Path CGROUPS = Path.of("/sys/fs/cgroup");
  private static final int PERIOD_MICROS = 100_000;

  @Test
  void oneProcessor_isEnough() throws Exception {
    Map<String, Long> said = run(List.of(), "-XX:ActiveProcessorCount=1");
    assertThat(said).containsEntry("processors", 1L);
  }

  /** By a quota where this process may set one, else by sharing one processor. */
  @Test
  void halfAProcessor_isEnough() throws Exception {
    Optional<Path> group = halfAProcessor();
    try {
      List<String> prefix =
          group
              .map(
                  path ->
                      List.of("sh", "-c", "echo $$ >" + path + "/cgroup.procs; exec \"$@\"", "sh"))
              .orElse(List.of("taskset", "-c", firstProcessor()));
      Map<String, Long> said = run(prefix);
      assertThat(said).containsEntry("processors", 1L);
    } finally {
      if (group.isPresent()) {
        Files.deleteIfExists(group.get());
      }
    }
  }

  @Test
  void aHeapOf64Megabytes_isEnough() throws Exception {
    Map<String, Long> said = run(List.of(), "-Xmx64m");
    assertThat(said.get("heapMegabytes")).isLessThanOrEqualTo(64);
  }

  @Test
  void sixteenEventLoops_areUsed() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(16, 0).start()) {
      Map<String, Long> said = run(server, List.of(), "-Dio.netty.eventLoopThreads=64");
      // And the one of the connection for commands without keys, which no caller drives.
      assertThat(said).containsEntry("eventLoops", 16L + 1);
    }
  }

  @Test
  void epoll_isUsedWhereItIsOnTheClassPath() throws Exception {
    Map<String, Long> said = run(List.of(), "-Dio.lettuce.core.epoll=true");
    assertThat(said).containsEntry("epoll", 1L);
    assertThat(said.get("fused")).isPositive();
  }

  /** Its rings belong to one thread, so event loops of Lettuce's own read, and callers wait. */
  @Test
  void ioUring_isUsedWhereItIsOnTheClassPath() throws Exception {
    assumeTrue(IoUring.isAvailable(), MachineProgram::withoutIoUring);
    Map<String, Long> said = run(List.of(), "-Dio.lettuce.core.iouring=true");
    assertThat(said).containsEntry("ioUring", 1L).containsEntry("eventLoops", 0L);
    assertThat(said.get("fused")).isPositive();
  }

  /** None on a JVM without virtual threads. */
  @TestFactory
  Stream<DynamicTest> virtualThreads_arePinnedNowhere() {
    return VirtualThreads.exist()
        ? Stream.of(DynamicTest.dynamicTest("virtual threads", this::pinnedNowhere))
        : Stream.empty();
  }

  private void pinnedNowhere() throws Exception {
    Map<String, Long> said =
        run(List.of(), "-Djdk.virtualThreadScheduler.parallelism=1", "-Dthreads=virtual");
    assertThat(said).containsEntry("virtual", 1L).containsEntry("pinned", 0L);
    // One carrier for all: what waits has left it, or nothing would travel together.
    assertThat(said.get("fused")).isPositive();
  }

  private Map<String, Long> run(List<String> prefix, String... options) throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      Map<String, Long> said = run(server, prefix, options);
      said.put("fused", server.stats().count("mget"));
      return said;
    }
  }

  /** Runs {@link MachineProgram}, which has to find all that it has written. */
  private Map<String, Long> run(EmbeddedServer server, List<String> prefix, String... options)
      throws Exception {
    String output =
        new ForkedJvm(PATIENCE)
            .startedBy(prefix)
            .options(options)
            .run(MachineProgram.class, server.uri());
    return MachineProgram.said(output);
  }

  /** A new control group with half the time of a processor; empty where none can be made. */
  private static Optional<Path> halfAProcessor() {
    boolean second = Files.exists(CGROUPS.resolve("cgroup.controllers"));
    Path group =
        CGROUPS.resolve(second ? "" : "cpu").resolve("sheaf-" + ProcessHandle.current().pid());
    try {
      Files.createDirectory(group);
    } catch (IOException e) {
      return Optional.empty();
    }
    try {
      if (second) {
        write(group.resolve("cpu.max"), PERIOD_MICROS / 2 + " " + PERIOD_MICROS);
      } else {
        write(group.resolve("cpu.cfs_period_us"), Integer.toString(PERIOD_MICROS));
        write(group.resolve("cpu.cfs_quota_us"), Integer.toString(PERIOD_MICROS / 2));
      }
      return Optional.of(group);
    } catch (IOException e) {
      group.toFile().delete();
      return Optional.empty();
    }
  }

  /** Into a file of the kernel, which cannot be created. */
  private static void write(Path file, String value) throws IOException {
    Files.writeString(file, value, StandardOpenOption.WRITE);
  }

  /** Of those that this process may run on. */
  private static String firstProcessor() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .map(line -> line.replaceAll("\\D*(\\d+).*", "$1"))
        .findFirst()
        .orElse("0");
  }
}
