// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import java.lang.StackWalker.StackFrame;
import java.util.function.Predicate;

/**
 * Finds which class of Lettuce has called, by the stack of the current thread. For the few calls
 * that look like those of an application and nothing else tells apart.
 *
 * <p>Thread-safe. It walks a few frames, so it is not for what happens with each command.
 */
public final class LettuceCallers {

  /** A few more frames than there are between Lettuce and the classes that ask. */
  private static final int FRAMES = 10;

  private static final String LETTUCE = "io.lettuce.core.";
  private static final String BLOCKING = "FutureSyncInvocationHandler";
  private static final String AUTHENTICATION = LETTUCE + "RedisAuthenticationHandler";

  private LettuceCallers() {}

  /**
   * Whether a blocking command of Lettuce's own connection is being awaited. Lettuce awaits it as
   * if it were a future of the caller.
   */
  public static boolean awaitBlockingCommand() {
    return isBelow(name -> name.startsWith(LETTUCE) && name.endsWith(BLOCKING));
  }

  /** Whether an AUTH is being sent because the credentials were renewed. */
  public static boolean renewCredentials() {
    return isBelow(AUTHENTICATION::equals);
  }

  private static boolean isBelow(Predicate<String> className) {
    return StackWalker.getInstance()
        .walk(frames -> frames.limit(FRAMES).map(StackFrame::getClassName).anyMatch(className));
  }
}
