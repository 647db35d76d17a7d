// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.internal.command.RespRequest;

/** Which keys of a command must hold no compressed values, for the command to be sent. */
enum Refusal {
  NONE {
    @Override
    int refusedKey(RespRequest request, PolicyLookup policies) {
      return -1;
    }
  },
  FIRST_KEY {
    @Override
    int refusedKey(RespRequest request, PolicyLookup policies) {
      return anyOf(request, policies, 1, 2);
    }
  },
  /** LCS. */
  TWO_KEYS {
    @Override
    int refusedKey(RespRequest request, PolicyLookup policies) {
      return anyOf(request, policies, 1, 3);
    }
  },
  /** BITOP: an operation, then keys. */
  KEYS_FROM_SECOND {
    @Override
    int refusedKey(RespRequest request, PolicyLookup policies) {
      return anyOf(request, policies, 2, request.count());
    }
  },
  /** STRALGO LCS KEYS. */
  NAMED_KEYS {
    @Override
    int refusedKey(RespRequest request, PolicyLookup policies) {
      return request.is(2, "KEYS") ? anyOf(request, policies, 3, 5) : -1;
    }
  },
  /** SORT: where the order, or what is fetched, depends on the bytes of values. */
  SORTING {
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
      return byBytes ? anyOf(request, policies, 1, 2) : -1;
    }
  };

  /** The index of a key for which the command is refused; -1 if there is none. */
  abstract int refusedKey(RespRequest request, PolicyLookup policies);

  private static int anyOf(RespRequest request, PolicyLookup policies, int from, int to) {
    for (int i = from; i < Math.min(to, request.count()); i++) {
      if (policies.mayBeCompressed(request, i)) {
        return i;
      }
    }
    return -1;
  }
}
