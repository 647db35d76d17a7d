// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.wait;

import io.lettuce.core.protocol.RedisCommand;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A MULTI that knows whether its caller has waited for it. Other commands do without the field.
 *
 * <p>Thread-safe.
 */
final class AwaitedMulti<K, V, T> extends AwaitedCommand<K, V, T> {

  /** Not volatile: it matters to the thread that has set it. */
  private boolean awaited;

  AwaitedMulti(RedisCommand<K, V, T> command, Deadlines deadlines) {
    super(command, deadlines);
  }

  @Override
  public boolean await(long timeout, TimeUnit unit) {
    awaited = true;
    return super.await(timeout, unit);
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    awaited = true;
    return super.get();
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    awaited = true;
    return super.get(timeout, unit);
  }

  @Override
  public T join() {
    awaited = true;
    return super.join();
  }

  @Override
  public boolean isAwaited() {
    return awaited;
  }
}
