// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A command of Sheaf's own on the way between callers' commands and Lettuce. It has neither a value
 * nor a failure of its own: its listeners, which are Lettuce's, learn that it is over.
 *
 * <p>Listeners are added before it is written. It is ended by the event loop, or by the timer of
 * its time-out.
 */
public abstract class InnerCommand<K, T> implements RedisCommand<K, K, T>, CompleteableCommand<T> {

  private volatile boolean over;
  private volatile @Nullable BiConsumer<? super T, Throwable> listener;

  /** Whether it was answered, failed or given up. */
  protected final boolean isOver() {
    return over;
  }

  /** From now on it is over. */
  protected final void end() {
    over = true;
  }

  /** Tells the listeners that it is over. */
  protected final void notifyListeners(@Nullable Throwable failure) {
    BiConsumer<? super T, Throwable> current = listener;
    if (current != null) {
      accept(current, failure);
    }
  }

  @SuppressWarnings("NullAway") // Both arguments may be null, which BiConsumer cannot say.
  private static <T> void accept(
      BiConsumer<? super T, Throwable> listener, @Nullable Throwable failure) {
    listener.accept(null, failure);
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public void setOutput(CommandOutput<K, K, T> output) {
    throw new UnsupportedOperationException("The output of " + getType() + " is its own");
  }

  @Override
  public void onComplete(Consumer<? super T> action) {
    onComplete((nothing, failure) -> action.accept(nothing));
  }

  @Override
  public void onComplete(BiConsumer<? super T, Throwable> action) {
    BiConsumer<? super T, Throwable> before = listener;
    listener =
        before == null
            ? action
            : (nothing, failure) -> {
              before.accept(nothing, failure);
              action.accept(nothing, failure);
            };
    if (over) {
      accept(action, null);
    }
  }
}
