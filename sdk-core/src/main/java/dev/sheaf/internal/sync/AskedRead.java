// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A read that the server is about to be asked.
 *
 * @param rest what follows the key, as a field
 * @param text the key's
 */
record AskedRead(AheadRead read, @Nullable Object rest, String text, long nanos) {

  /**
   * How long after its list, or after its key before, the next key of a loop may come: 1 second.
   */
  static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The place of the key in what a loop reads. */
  int keyIndex(FollowedLoop<?> loop) {
    return loop.isOf(read, rest) ? loop.source().indexOf(text) : KeySource.NONE;
  }

  /** Whether it may be of the same loop as another one. */
  boolean isLike(AskedRead other) {
    return read == other.read && Objects.deepEquals(rest, other.rest);
  }

  /** A loop that has read nothing yet. */
  <K> FollowedLoop<K> begin(KeySource source) {
    return new FollowedLoop<>(read, rest, source);
  }

  /** A loop that has read these keys; null if one of them is not of the source. */
  <K> @Nullable FollowedLoop<K> begin(@Nullable KeySource source, List<String> keys) {
    if (source == null) {
      return null;
    }
    FollowedLoop<K> loop = begin(source);
    for (String key : keys) {
      int index = source.indexOf(key);
      if (index == KeySource.NONE) {
        return null;
      }
      loop.reads(index, nanos);
    }
    return loop;
  }
}
