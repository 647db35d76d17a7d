// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/**
 * The {@link DrivenEventLoop}s of one client. Sockets are assigned to them in turn.
 *
 * <p>Thread-safe.
 */
final class DrivenEventLoopGroup extends MultiThreadIoEventLoopGroup {

  DrivenEventLoopGroup(int count, IoHandlerFactory handlers, ThreadFactory threads) {
    super(count, threads, handlers, threads);
  }

  /** Called by the superclass's constructor, once for each loop. */
  @Override
  protected IoEventLoop newChild(Executor executor, IoHandlerFactory handlers, Object... threads) {
    return new DrivenEventLoop(this, handlers, (ThreadFactory) threads[0]);
  }
}
