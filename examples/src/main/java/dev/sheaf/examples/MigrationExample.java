// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.inspector.InspectedValue;
import dev.sheaf.inspector.Inspector;
import dev.sheaf.inspector.MigrationOptions;
import dev.sheaf.inspector.MigrationProgress;
import dev.sheaf.inspector.Migrator;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Compresses stored values, inspects one, and reads a damaged one. */
public final class MigrationExample {

  private static final String PREFIX = "example:page:";

  private MigrationExample() {}

  public static void main(String[] arguments) {
    CompressionOptions compression = CompressionOptions.defaults();
    MigrationOptions options = MigrationOptions.compress(compression, PREFIX);
    String page = "{\"text\":\"all work and no play\"} ".repeat(100);
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).compression(compression).connect();
        Sheaf<byte[], byte[]> plain =
            Sheaf.builder(server.uri()).codec(ByteArrayCodec.INSTANCE).connect()) {
      Map<byte[], byte[]> pages =
          Map.of(bytes(PREFIX + 1), bytes(page), bytes(PREFIX + 2), bytes(page));
      plain.sync().mset(pages);

      MigrationProgress expected = new Migrator(sheaf, options.withDryRun()).run();
      System.out.println("would change: " + expected.changed());
      MigrationProgress done = new Migrator(sheaf, options).run();
      System.out.println("changed: " + done.changed());

      InspectedValue stored = Inspector.of(sheaf).inspect(PREFIX + 1).values().get(0);
      System.out.println(
          stored.algorithm() + ", in a tenth of the bytes: " + (stored.ratio() < 0.1));
      System.out.println("the same value: " + page.equals(sheaf.sync().get(PREFIX + 1)));

      // Damages a compressed value. Its GET fails, and nothing else does.
      byte[] damaged = plain.sync().get(bytes(PREFIX + 2));
      damaged[damaged.length - 1] ^= 1;
      plain.sync().set(bytes(PREFIX + 2), damaged);
      try {
        sheaf.sync().get(PREFIX + 2);
      } catch (UnreadableValueException e) {
        System.out.println("unreadable: " + e.reason());
      }

      plain.sync().del(pages.keySet().toArray(byte[][]::new));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
