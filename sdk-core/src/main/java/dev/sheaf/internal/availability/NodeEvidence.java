package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What speaks for a node and what against it: answers to PINGs, and what the data connection hears.
 *
 * <p>Thread-safe: single volatile values, of which each tells something by itself.
 */
final class NodeEvidence {

  private final AvailabilityOptions options;

  private volatile @Nullable ReplyActivity signs;

  /** When the last good answer to a PING came. */
  private volatile long lastGood = ReplyActivity.NEVER;

  private volatile long roundTripNanos = -1;

  /** When the PING was sent that should have been answered by now; NEVER if there is none. */
  private volatile long overdueSince = ReplyActivity.NEVER;

  NodeEvidence(AvailabilityOptions options) {
    this.options = options;
  }

  // ---- PINGs

  /** A PING was answered. */
  void answered(long nanos) {
    roundTripNanos = nanos;
    lastGood = ReplyActivity.now();
  }

  /** A PING that was sent then should have been answered by now. */
  void overdue(long sentAt) {
    overdueSince = sentAt;
  }

  void nothingOverdue() {
    overdueSince = ReplyActivity.NEVER;
  }

  /** When the last good answer to a PING came, or NEVER. */
  long lastGood() {
    return lastGood;
  }

  /** How long the last good PING took, or null. */
  @Nullable Duration roundTrip() {
    long nanos = roundTripNanos;
    return nanos < 0 ? null : Duration.ofNanos(nanos);
  }

  boolean isAnyOverdue() {
    return overdueSince != ReplyActivity.NEVER;
  }

  /** Whether a PING is overdue and nothing else was heard since it was sent. */
  boolean speaksAgainst(long heard) {
    long overdue = overdueSince;
    return overdue != ReplyActivity.NEVER && !isAfter(heard, overdue);
  }

  // ---- The data connection

  /** From now on this connection's replies count. */
  void attach(
      @Nullable ReplyActivity data,
      @Nullable BiConsumer<ReplyActivity.Event, @Nullable String> watcher) {
    ReplyActivity before = signs;
    if (data != before) {
      if (before != null) {
        before.unwatch();
      }
      signs = data;
      if (data != null && watcher != null) {
        data.watch(watcher, options.timeout().toNanos());
      }
    }
  }

  void unwatch() {
    ReplyActivity data = signs;
    if (data != null) {
      data.unwatch();
    }
  }

  boolean hasData() {
    ReplyActivity data = signs;
    return data != null && data.isConnected();
  }

  /** When the last good reply came on the data connection, or NEVER. */
  long heard() {
    ReplyActivity data = signs;
    return data == null ? ReplyActivity.NEVER : data.lastGood();
  }

  boolean heardSince(long time) {
    return isAfter(heard(), time);
  }

  /** Since when the data connection awaits a reply, or NEVER. */
  long waitingSince() {
    ReplyActivity data = signs;
    return data == null ? ReplyActivity.NEVER : data.waitingSince();
  }

  /** Why the data connection cannot be used although the node answers, or null. */
  @Nullable String dataTrouble() {
    ReplyActivity data = signs;
    if (data == null) {
      return null;
    }
    if (!data.isConnected()) {
      return "the node answers, but the data connection is lost and not there again yet";
    }
    long since = data.waitingSince();
    long waited = since == ReplyActivity.NEVER ? 0 : System.nanoTime() - since;
    return waited > options.downAfter().toNanos() && !isAfter(data.lastGood(), since)
        ? String.format(
            Locale.ROOT,
            "the node answers, but the data connection has not for %.1f ms",
            waited / 1e6)
        : null;
  }

  static boolean isAfter(long time, long other) {
    return time != ReplyActivity.NEVER && (other == ReplyActivity.NEVER || time - other > 0);
  }
}
