// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.lettuce.DrivenEventLoop;
import io.netty.channel.Channel;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One stack frame that tells what the thread of an event loop is doing. */
final class EventLoopFrame {

  /** Packages that run other code and explain nothing. */
  private static final String[] FRAMEWORKS = {
    "java.", "jdk.", "sun.", "io.netty.", "io.lettuce.", "reactor.", "dev.sheaf.internal."
  };

  /** The thread waits for sockets, or looks for late commands, whose callers see it here. */
  private static final Pattern IDLE =
      Pattern.compile(
          "(SelectorImpl\\.|\\.epollWait|\\.submitAndWaitWithTimeout|\\.select$"
              + "|WrittenCommands\\.searchAll$)");

  private EventLoopFrame() {}

  /**
   * The innermost frame of application code, or else the innermost frame; null if the thread is
   * idle or there is none.
   */
  static @Nullable String of(Channel channel) {
    StackTraceElement[] stack = stackOf(channel);
    for (StackTraceElement frame : stack) {
      if (!isOfFramework(frame.getClassName())) {
        return frame.toString();
      }
    }
    for (StackTraceElement frame : stack) {
      if (IDLE.matcher(frame.getClassName() + "." + frame.getMethodName()).find()) {
        return null;
      }
    }
    return stack.length == 0 ? null : stack[0].toString();
  }

  private static StackTraceElement[] stackOf(Channel channel) {
    if (channel.eventLoop() instanceof DrivenEventLoop driven) {
      return driven.ownerStack();
    }
    return channel.eventLoop() instanceof SingleThreadEventExecutor single
        ? single.threadProperties().stackTrace()
        : new StackTraceElement[0];
  }

  private static boolean isOfFramework(String className) {
    for (String prefix : FRAMEWORKS) {
      if (className.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}
