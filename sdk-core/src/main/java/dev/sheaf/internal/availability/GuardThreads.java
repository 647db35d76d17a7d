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
 * The client's resources with an event loop beside those of the data connections, so that a PONG is
 * read at once while these are decoding big values.
 */
final class GuardThreads {

  private static final String NAME = "sheaf-availability";

  private GuardThreads() {}

  /** Resources of which only the event loop is new; it ends with the client that uses it. */
  static ClientResources beside(ClientResources given) {
    ThreadFactoryProvider threads = pool -> new DefaultThreadFactory(NAME, true);
    return DefaultClientResources.builder()
        .addressResolverGroup(given.addressResolverGroup())
        // A second recorder would publish the commands of the first one, too.
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .eventBus(given.eventBus())
        .eventExecutorGroup(given.eventExecutorGroup())
        .eventLoopGroupProvider(new DefaultEventLoopGroupProvider(1, threads))
        .nettyCustomizer(given.nettyCustomizer())
        .socketAddressResolver(given.socketAddressResolver())
        .timer(given.timer())
        // What the guard asks is nothing that the application called.
        .tracing(Tracing.disabled())
        .build();
  }
}
