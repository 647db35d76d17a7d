// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

/** Virtual threads, by reflection: JDK 17 compiles the tests. */
public final class VirtualThreads {

  private VirtualThreads() {}

  /** Whether this JVM has them. */
  public static boolean exist() {
    return Runtime.version().feature() >= 21;
  }

  /**
   * Creates one that is not started yet.
   *
   * @throws UnsupportedOperationException if this JVM has none
   */
  public static Thread unstarted(Runnable task) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      return (Thread)
          Class.forName("java.lang.Thread$Builder")
              .getMethod("unstarted", Runnable.class)
              .invoke(builder, task);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException("Virtual threads need JDK 21 or newer", e);
    }
  }
}
