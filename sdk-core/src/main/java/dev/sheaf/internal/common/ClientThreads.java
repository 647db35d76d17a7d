// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;

/** The threads on which a client does what must not delay its callers and event loops. */
public final class ClientThreads {

  private ClientThreads() {}

  /**
   * The computation threads of the client's resources. If these run each task on the thread that
   * submits it, and so schedule none, it is Netty's own thread instead.
   */
  public static EventExecutorGroup of(ClientResources resources) {
    EventExecutorGroup given = resources.eventExecutorGroup();
    return given instanceof ImmediateEventExecutor ? GlobalEventExecutor.INSTANCE : given;
  }
}
