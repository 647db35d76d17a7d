// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.StreamId;
import dev.sheaf.embedded.internal.data.StreamValue;
import org.jspecify.annotations.Nullable;

/** The options of XADD and XTRIM. */
final class StreamAddOptions {
  private static final long DEFAULT_TRIM_LIMIT = 100 * 100;

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
        if (options.limit < 0) {
          throw Errors.of("ERR The LIMIT argument must be >= 0.");
        }
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
    return options;
  }

  private int threshold(Call call, int at) {
    if (trims) {
      throw Errors.of(
          "ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
    }
    boolean byLength = call.is(at, "MAXLEN");
    int i = at + 1;
    boolean hasMode = i + 1 < call.count();
    approximately = false;
    if (hasMode && (call.is(i, "~") || call.is(i, "="))) {
      approximately = call.is(i++, "~");
    }
    if (byLength) {
      maxLength = call.longArg(i);
      if (maxLength < 0) {
        throw Errors.of("ERR The MAXLEN argument must be >= 0.");
      }
    } else {
      minId = StreamArguments.strict(call.arg(i));
    }
    trims = true;
    return i;
  }

  private void check(boolean xadd) {
    if (limit > 0 && !trims) {
      throw Errors.of(
          "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy");
    }
    if (!xadd && !trims) {
      throw Errors.of("ERR syntax error, XTRIM must be called with a trimming strategy");
    }
    if (hasLimit && !approximately) {
      throw Errors.of("ERR syntax error, LIMIT cannot be used without the special ~ option");
    }
  }

  StreamValue.Trim trim() {
    long most = hasLimit ? limit : approximately ? DEFAULT_TRIM_LIMIT : 0;
    return new StreamValue.Trim(minId, maxLength, approximately, most);
  }
}
