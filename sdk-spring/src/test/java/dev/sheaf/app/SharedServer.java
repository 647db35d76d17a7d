// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import dev.sheaf.embedded.EmbeddedServer;

/** An embedded server for tests that do not start one by the starter. It ends with the JVM. */
final class SharedServer {

  static final EmbeddedServer INSTANCE = EmbeddedServer.start();

  private SharedServer() {}
}
