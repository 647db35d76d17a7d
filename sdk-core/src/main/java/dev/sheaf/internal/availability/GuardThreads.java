// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.ThreadFactoryProvider;
import io.lettuce.core.tracing.Tracing;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * The client's resources with a separate event loop for the guard, so that a PONG is read at once
 * while the data connections decode large values.
 */
final class GuardThreads {

  private static final String NAME = "sheaf-availability";

  private GuardThreads() {}

  /** Creates resources that own only the event loop, which ends with the client that uses it. */
  static ClientResources beside(ClientResources given) {
    ThreadFactoryProvider threads = pool -> new DefaultThreadFactory(NAME, true);
    return DefaultClientResources.builder()
        .addressResolverGroup(given.addressResolverGroup())
        // A second recorder would publish the first one's commands too.
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .eventBus(given.eventBus())
        .eventExecutorGroup(given.eventExecutorGroup())
        .eventLoopGroupProvider(new DefaultEventLoopGroupProvider(1, threads))
        .nettyCustomizer(given.nettyCustomizer())
        .socketAddressResolver(given.socketAddressResolver())
        .timer(given.timer())
        // The application did not call the guard's commands.
        .tracing(Tracing.disabled())
        .build();
  }
}
