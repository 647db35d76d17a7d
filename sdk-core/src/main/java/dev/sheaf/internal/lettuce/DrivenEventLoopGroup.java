// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The {@link DrivenEventLoop}s of one client, and one event loop of Netty's own kind for the
 * connections that callers must not serve. Other sockets are assigned to the driven ones in turn.
 *
 * <p>Thread-safe.
 */
final class DrivenEventLoopGroup extends MultiThreadIoEventLoopGroup {

  /**
   * Creates a group.
   *
   * @param driven how many loops callers can drive
   * @param undriven how many they cannot: 1, or 0 if there are no sockets for it
   */
  DrivenEventLoopGroup(int driven, int undriven, IoHandlerFactory handlers, ThreadFactory threads) {
    super(driven + undriven, threads, handlers, threads, new AtomicInteger(driven));
  }

  /** Called by the superclass's constructor, once for each loop. */
  @Override
  protected IoEventLoop newChild(Executor executor, IoHandlerFactory handlers, Object... parts) {
    return ((AtomicInteger) parts[1]).getAndDecrement() > 0
        ? new DrivenEventLoop(this, handlers, (ThreadFactory) parts[0])
        : super.newChild(executor, handlers);
  }

  /** The next of the driven loops. */
  @Override
  public IoEventLoop next() {
    IoEventLoop next = super.next();
    while (!(next instanceof DrivenEventLoop)) {
      next = super.next();
    }
    return next;
  }

  /**
   * The loop that no caller drives; null if there is none. Its thread starts with its first use.
   */
  @Nullable EventLoopGroup undriven() {
    for (EventExecutor loop : this) {
      if (!(loop instanceof DrivenEventLoop)) {
        return (EventLoopGroup) loop;
      }
    }
    return null;
  }
}
