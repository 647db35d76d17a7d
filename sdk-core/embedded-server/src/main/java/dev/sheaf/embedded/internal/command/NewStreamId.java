// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.StreamId;
import org.jspecify.annotations.Nullable;

/** The id argument of XADD: complete, or to be generated. */
record NewStreamId(@Nullable StreamId id, boolean anySequence) {
  static NewStreamId parse(byte[] arg) {
    String text = Bytes.text(arg);
    if (text.equals("*")) {
      return new NewStreamId(null, true);
    }
    if (text.endsWith("-*")) {
      long millis =
          Errors.found(
              StreamArguments.unsigned(text.substring(0, text.length() - 2)),
              StreamArguments.INVALID_ID);
      return new NewStreamId(new StreamId(millis, 0), true);
    }
    return new NewStreamId(StreamArguments.strict(arg), false);
  }

  /** Returns null if no id greater than the last one is possible. */
  @Nullable StreamId after(StreamId last, long now) {
    StreamId next = id;
    if (next == null) {
      next = Long.compareUnsigned(now, last.millis()) > 0 ? new StreamId(now, 0) : last.next();
    } else if (anySequence && next.millis() == last.millis()) {
      next = last.sequence() == -1 ? last : last.next();
    }
    return next.compareTo(last) > 0 ? next : null;
  }
}
