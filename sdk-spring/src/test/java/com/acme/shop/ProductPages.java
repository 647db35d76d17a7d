// SPDX-License-Identifier: Apache-2.0
package com.acme.shop;

import dev.sheaf.Sheaf;
import java.util.List;

/** Code of a user, outside the client's own packages, which are no call sites. */
public final class ProductPages {

  private ProductPages() {}

  /** Writes one key after the other, which the loop detector finds. */
  public static void writeAll(Sheaf<String, String> sheaf, List<String> keys, String page) {
    for (String key : keys) {
      sheaf.sync().set(key, page);
    }
  }
}
