// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ForkJoinWorkerThread;
import org.jspecify.annotations.Nullable;

/** What the kind of the current thread means for how it waits. */
public final class Threads {

  /** Thread.isVirtual, which JDK 17 has not. */
  private static final @Nullable MethodHandle IS_VIRTUAL = isVirtualMethod();

  private Threads() {}

  private static @Nullable MethodHandle isVirtualMethod() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /**
   * Whether the current thread may run an event loop while it waits: not a virtual thread, whose
   * carrier would be blocked in the selector; not one of a fork-join pool, which has to know that
   * it blocks; not an event loop's.
   */
  public static boolean mayDrive() {
    Thread thread = Thread.currentThread();
    return thread.getClass() == Thread.class
        || !(thread instanceof ForkJoinWorkerThread)
            && !(thread instanceof FastThreadLocalThread)
            && !isVirtual(thread);
  }

  private static boolean isVirtual(Thread thread) {
    try {
      return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable e) {
      throw new LinkageError("Thread.isVirtual failed", e);
    }
  }
}
