// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.StreamId;
import dev.sheaf.embedded.internal.data.StreamValue;
import org.jspecify.annotations.Nullable;

/** The options of XADD and XTRIM. */
final class StreamAddOptions {
  private static final int NODES_TRIMMED = 100;
  private static final long MAX_TRIM_LIMIT = 1_000_000;

  boolean makeNoStream;
  boolean trims;
  boolean approximately;
  boolean hasLimit;
  long limit;
  long maxLength;
  @Nullable StreamId minId;
  int idAt;

  static StreamAddOptions parse(Call call, boolean xadd) {
    StreamAddOptions options = new StreamAddOptions();
    int i = 2;
    for (; i < call.count(); i++) {
      boolean more = i + 1 < call.count();
      if (xadd && call.is(i, "*")) {
        break;
      } else if (more && (call.is(i, "MAXLEN") || call.is(i, "MINID"))) {
        i = options.threshold(call, i);
      } else if (more && call.is(i, "LIMIT")) {
        options.limit = call.longArg(++i);
        Errors.refuseIf(options.limit < 0, "ERR The LIMIT argument must be >= 0.");
        options.hasLimit = true;
      } else if (xadd && call.is(i, "NOMKSTREAM")) {
        options.makeNoStream = true;
      } else if (xadd) {
        break;
      } else {
        throw Errors.syntax();
      }
    }
    options.idAt = i;
    if (xadd && i < call.count() && !call.is(i, "*")) {
      NewStreamId.parse(call.arg(i));
    }
    options.check(xadd);
    if (options.approximately && !options.hasLimit) {
      long entries = call.node.config.number("stream-node-max-entries");
      options.limit = NODES_TRIMMED * (entries == 0 ? NODES_TRIMMED : entries);
      options.limit = Math.min(MAX_TRIM_LIMIT, options.limit);
    }
    return options;
  }

  private int threshold(Call call, int at) {
    Errors.refuseIf(
        trims, "ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
    boolean byLength = call.is(at, "MAXLEN");
    int i = at + 1;
    boolean hasMode = i + 1 < call.count();
    approximately = false;
    if (hasMode && (call.is(i, "~") || call.is(i, "="))) {
      approximately = call.is(i++, "~");
    }
    if (byLength) {
      maxLength = call.longArg(i);
      Errors.refuseIf(maxLength < 0, "ERR The MAXLEN argument must be >= 0.");
    } else {
      minId = StreamArguments.strict(call.arg(i));
    }
    trims = true;
    return i;
  }

  private void check(boolean xadd) {
    Errors.refuseIf(
        limit > 0 && !trims,
        "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy");
    Errors.refuseIf(
        !xadd && !trims, "ERR syntax error, XTRIM must be called with a trimming strategy");
    Errors.refuseIf(
        hasLimit && !approximately,
        "ERR syntax error, LIMIT cannot be used without the special ~ option");
  }

  StreamValue.Trim trim() {
    return new StreamValue.Trim(minId, maxLength, approximately, limit);
  }
}
