// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** A host name that leads to one port of this machine and then to another, as a cloud's does. */
public final class FixedName extends SocketAddressResolver {

  public static final String URI = "redis://primary.test:6379";

  private final AtomicInteger lookups = new AtomicInteger();
  private volatile int port;

  public FixedName(int port) {
    this.port = port;
  }

  public void leadTo(int other) {
    port = other;
  }

  /** How often the name was resolved. */
  public int lookups() {
    return lookups.get();
  }

  /** Resources that resolve it; to be shut down. */
  public ClientResources resources() {
    return ClientResources.builder().socketAddressResolver(this).build();
  }

  @Override
  public SocketAddress resolve(RedisURI uri) {
    lookups.incrementAndGet();
    return new InetSocketAddress("127.0.0.1", port);
  }
}
