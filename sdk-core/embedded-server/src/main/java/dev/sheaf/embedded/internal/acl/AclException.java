// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.acl;

/** A rule of ACL SETUSER that cannot be taken; the message says why. */
public final class AclException extends RuntimeException {
  AclException(String reason) {
    super(reason, null, false, false);
  }

  public String reason() {
    return String.valueOf(getMessage());
  }
}
