// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.node.BlockedClient;
import java.util.Arrays;
import java.util.List;

/**
 * A pop from the first of several keys that is not empty, possibly blocking.
 *
 * @param first whether from the first end: LEFT or MIN
 * @param count the most elements
 */
record PopAcross(List<byte[]> keys, boolean first, long count) {

  /** BLPOP and related commands: all arguments but the last are keys. */
  static PopAcross untilTimeout(Call call, boolean first) {
    return new PopAcross(Arrays.asList(call.args).subList(1, call.count() - 1), first, 1);
  }

  /** LMPOP and related commands, from the number of keys on. */
  static PopAcross counted(Call call, int countAt, String firstEnd, String otherEnd) {
    long numKeys = countOrError(call, countAt, "numkeys");
    long where = countAt + 1 + numKeys;
    Errors.syntaxIf(numKeys > call.count() || where >= call.count());
    int at = (int) where;
    boolean first = call.either(at, firstEnd, otherEnd);
    List<byte[]> keys = Arrays.asList(call.args).subList(countAt + 1, at);
    return new PopAcross(keys, first, optionalCount(call, at + 1));
  }

  private static long countOrError(Call call, int at, String what) {
    return call.longArg(at, 1, Long.MAX_VALUE, "ERR " + what + " should be greater than 0");
  }

  /** Parses COUNT at the end of a command; 1 without it. */
  private static long optionalCount(Call call, int from) {
    long count = -1;
    for (int i = from; i < call.count(); i++) {
      Errors.syntaxIf(count >= 0 || !call.is(i, "COUNT") || i + 1 == call.count());
      count = countOrError(call, ++i, "count");
    }
    return count < 0 ? 1 : count;
  }

  private boolean serve(BlockedClient.Attempt attempt) {
    for (byte[] key : keys) {
      if (attempt.serve(key)) {
        return true;
      }
    }
    return false;
  }

  /** Replies nil if all keys are empty. */
  void now(Call call, BlockedClient.Attempt attempt) {
    if (!serve(attempt)) {
      call.out.nilArray();
    }
  }

  /** Waits if all keys are empty. */
  void orWait(Call call, long deadline, BlockedClient.Attempt attempt) {
    if (!serve(attempt)) {
      Blocking.await(call, keys, deadline, attempt, call.out::nilArray);
    }
  }

  /** Returns the equivalent command for one key on a replica. */
  void replicateAs(Call call, String firstName, String otherName, byte[] key, long taken) {
    call.effect(Bytes.of(first ? firstName : otherName), key, Bytes.ofLong(taken));
  }
}
