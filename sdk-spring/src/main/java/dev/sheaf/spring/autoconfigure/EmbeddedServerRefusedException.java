// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

/** Thrown if the embedded server would become the Redis of an application in production. */
final class EmbeddedServerRefusedException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String profile;

  EmbeddedServerRefusedException(String profile) {
    super(
        "No Redis is configured, and the embedded server does not start under the profile "
            + profile);
    this.profile = profile;
  }

  String profile() {
    return profile;
  }
}
