// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.inspector.InspectedValue;
import dev.sheaf.inspector.Inspector;

/** Values that are compressed transparently. */
public final class CompressionExample {

  private CompressionExample() {}

  public static void main(String[] arguments) {
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).compression(CompressionOptions.defaults()).connect()) {

      String page = "{\"lines\":[" + "{\"text\":\"all work and no play\"},".repeat(100) + "{}]}";
      sheaf.sync().set("example:page", page);
      System.out.println("the same value: " + page.equals(sheaf.sync().get("example:page")));

      InspectedValue stored = Inspector.of(sheaf).inspect("example:page").values().get(0);
      System.out.println(
          stored.algorithm()
              + ": "
              + stored.originalBytes()
              + " bytes, stored in a tenth: "
              + (stored.ratio() < 0.1));

      // The server would see the compressed bytes, so the client refuses to send it.
      try {
        sheaf.sync().append("example:page", "more");
      } catch (CompressionRefusedException e) {
        System.out.println("refused: APPEND");
      }

      sheaf.sync().del("example:page");
    }
  }
}
