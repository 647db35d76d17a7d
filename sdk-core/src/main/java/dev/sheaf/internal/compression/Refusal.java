// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.internal.command.RespRequest;

/** Defines which keys of a command must have no compressed values for the command to be sent. */
enum Refusal {
  NONE(0, 0),
  FIRST_KEY(1, 2),

  /** LCS. */
  TWO_KEYS(1, 3),

  /** BITOP: an operation, then keys. */
  KEYS_FROM_SECOND(2, Integer.MAX_VALUE),

  /** STRALGO LCS KEYS. */
  NAMED_KEYS(3, 5) {
    @Override
    int refusedKey(RespRequest request, PolicyLookup policies) {
      return request.is(2, "KEYS") ? super.refusedKey(request, policies) : -1;
    }
  },

  /** SORT: its order, or what it fetches, depends on the bytes of values. */
  SORTING(1, 2) {
    @Override
    int refusedKey(RespRequest request, PolicyLookup policies) {
      boolean byBytes = false;
      for (int i = 2; i < request.count(); i++) {
        if (request.is(i, "ALPHA")) {
          byBytes = true;
        } else if (request.is(i, "LIMIT")) {
          i += 2;
        } else if (request.is(i, "STORE")) {
          i++;
        } else if (request.is(i, "BY") || request.is(i, "GET")) {
          byBytes = true;
          i++;
          if (i < request.count() && policies.mayCover(request, i)) {
            return i;
          }
        }
      }
      return byBytes ? super.refusedKey(request, policies) : -1;
    }
  };

  /** The index of the first key, and the end of the keys. */
  private final int from;

  private final int to;

  Refusal(int from, int to) {
    this.from = from;
    this.to = to;
  }

  /** Returns the index of a key for which the command is refused; -1 for none. */
  int refusedKey(RespRequest request, PolicyLookup policies) {
    for (int i = from; i < Math.min(to, request.count()); i++) {
      if (policies.mayBeCompressed(request, i)) {
        return i;
      }
    }
    return -1;
  }
}
