// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import dev.sheaf.testkit.LeakCheck;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is still there after a client was closed: what a JVM collects more and more of if its
 * clients leak.
 *
 * @param heapBytes what the heap holds after a collection
 * @param threads the names of those that keep a JVM alive or are a client's
 * @param openFiles sockets among them; 0 where the JVM does not tell
 */
record Leftovers(long heapBytes, Set<String> threads, long openFiles) {

  static Leftovers now() {
    return new Leftovers(
        heap(),
        LeakCheck.suspects().stream().map(Thread::getName).collect(Collectors.toSet()),
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.UnixOperatingSystemMXBean unix
            ? unix.getOpenFileDescriptorCount()
            : 0);
  }

  static long heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
