// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;

/** An I/O handler of one event loop, without sockets. */
abstract class SocketlessHandler implements IoHandler {

  /** Starts an event loop with this handler. */
  DrivenEventLoopGroup start() {
    IoHandlerFactory factory =
        new IoHandlerFactory() {
          @Override
          public IoHandler newHandler(ThreadAwareExecutor executor) {
            return SocketlessHandler.this;
          }

          @Override
          public boolean isChangingThreadSupported() {
            return true;
          }
        };
    return new DrivenEventLoopGroup(1, 0, factory, new DefaultThreadFactory("driven", true));
  }

  @Override
  public IoRegistration register(IoHandle handle) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> type) {
    return false;
  }
}
