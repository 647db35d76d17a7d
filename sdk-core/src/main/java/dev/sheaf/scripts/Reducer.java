// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Combines the results of the slices of a scatter. Slices end in any order, so the combination has
 * to give the same for every order, as a sum does.
 *
 * @param initial what there is before the first slice, and all there is without keys
 * @param step adds the result of one slice to what there is. Called for one slice at a time, on
 *     event loops of the client: it must not block. What it throws ends the scatter
 * @param <T> the type of a slice's result
 * @param <R> the type of the whole
 */
public record Reducer<T extends @Nullable Object, R>(
    R initial, BiFunction<? super R, ? super T, ? extends R> step) {

  /** Checks that nothing is null. */
  public Reducer {
    Objects.requireNonNull(initial, "initial");
    Objects.requireNonNull(step, "step");
  }

  /** Adds the results. */
  public static Reducer<Long, Long> sum() {
    return new Reducer<>(0L, Long::sum);
  }

  /** Puts the elements of all results into one list, in no particular order. */
  public static <E extends @Nullable Object> Reducer<List<E>, List<E>> concatenation() {
    return new Reducer<>(
        Collections.emptyList(),
        (all, more) -> {
          List<E> grown = all instanceof ArrayList<E> ? all : new ArrayList<>(all);
          grown.addAll(more);
          return grown;
        });
  }
}
