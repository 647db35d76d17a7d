// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.internal.command.RespRequest;

/** Which keys of a command must hold no compressed values, for the command to be sent. */
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

  /** SORT: where the order, or what is fetched, depends on the bytes of values. */
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

  /** The first key, and where the keys end. */
  private final int from;

  private final int to;

  Refusal(int from, int to) {
    this.from = from;
    this.to = to;
  }

  /** The index of a key for which the command is refused; -1 if there is none. */
  int refusedKey(RespRequest request, PolicyLookup policies) {
    for (int i = from; i < Math.min(to, request.count()); i++) {
      if (policies.mayBeCompressed(request, i)) {
        return i;
      }
    }
    return -1;
  }
}
