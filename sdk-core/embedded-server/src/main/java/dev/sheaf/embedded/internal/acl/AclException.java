// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.acl;

import org.jspecify.annotations.Nullable;

/** An invalid rule of ACL SETUSER; the message gives the reason. */
public final class AclException extends RuntimeException {
  AclException(String reason) {
    super(reason, null, false, false);
  }

  /** The reason is a {@link String#format} pattern. */
  static void when(boolean wrong, String form, @Nullable Object... values) {
    if (wrong) {
      throw new AclException(form.formatted(values));
    }
  }

  public String reason() {
    return String.valueOf(getMessage());
  }
}
