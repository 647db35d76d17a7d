// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * The code in the guides to availability, healing and read-through compiles, because it stands
 * here.
 */
class AvailabilityExampleTest {

  private static final Path GUIDE =
      Path.of(System.getProperty("basedir", ".")).resolve("../docs/guide");
  private static final Path SOURCE =
      Path.of(System.getProperty("basedir", "."))
          .resolve("src/test/java/dev/sheaf/availability/AvailabilityExampleTest.java");

  private interface Database {
    String load(String key);

    Map<String, String> loadAll(Set<String> keys);
  }

  private interface AsyncDatabase {
    CompletionStage<String> load(String key);
  }

  // guide:ask
  static String byHand(Sheaf<String, String> sheaf, Database database, String key) {
    if (sheaf.availability().isAvailable(key)) {
      String cached = sheaf.sync().get(key);
      if (cached != null) {
        return cached;
      }
    }
    return database.load(key);
  }

  // guide:end

  // guide:read-through
  static String product(Sheaf<String, String> sheaf, Database database, String key) {
    return sheaf.readThrough(key, Duration.ofMinutes(10), database::load);
  }

  static Map<String, String> page(
      Sheaf<String, String> sheaf, Database database, List<String> keys) {
    return sheaf.readThroughAll(keys, Duration.ofMinutes(10), database::loadAll);
  }

  // guide:end

  // guide:options
  static Sheaf<String, String> withOptions(String uri) {
    return Sheaf.builder(uri)
        .availability(AvailabilityOptions.builder().timeout(Duration.ofMillis(100)).build())
        .connect();
  }

  // guide:end

  // guide:healing
  static Sheaf<String, String> told(String uri) {
    return Sheaf.builder(uri)
        .healing(
            HealingOptions.builder()
                .listener(healed -> System.out.println(healed.node() + ": " + healed.reason()))
                .build())
        .connect();
  }

  // guide:end

  // guide:breaker
  static Sheaf<String, String> failingFast(String uri) {
    return Sheaf.builder(uri)
        .availability(AvailabilityOptions.builder().failFastWhileDown(true).build())
        .connect();
  }

  // guide:end

  // guide:listen
  static Availability.Registration watch(Sheaf<String, String> sheaf) {
    return sheaf
        .availability()
        .onChange(
            change ->
                System.out.println(
                    (change.node() == null ? "Redis" : change.node())
                        + " is "
                        + change.after().state()
                        + ": "
                        + change.after().reason()));
  }

  // guide:end

  // guide:read-through-options
  static ReadThrough<String, String> products(Sheaf<String, String> sheaf) {
    return sheaf.readThrough(
        ReadThroughOptions.<String>builder()
            .readTimeout(Duration.ofMillis(50))
            .absent("<none>")
            .build());
  }

  // guide:end

  // guide:async
  static CompletionStage<String> productAsync(
      ReadThrough<String, String> products, AsyncDatabase database, String key) {
    return products.getAsync(key, Duration.ofMinutes(10), database::load);
  }

  // guide:end

  @Test
  void codeInTheGuide_isTheCodeHere() throws IOException {
    String guide =
        Files.readString(GUIDE.resolve("availability.md"))
            + Files.readString(GUIDE.resolve("healing.md"))
            + Files.readString(GUIDE.resolve("read-through.md"));
    String[] parts = Files.readString(SOURCE).split("// guide:");
    int shown = 0;
    for (String part : parts) {
      if (part.startsWith("ask\n")
          || part.startsWith("read-through")
          || part.startsWith("async\n")
          || part.startsWith("options\n")
          || part.startsWith("listen\n")) {
        String code = part.substring(part.indexOf('\n') + 1).stripTrailing();
        assertThat(guide).contains(code.stripIndent().strip());
        shown++;
      }
    }
    assertThat(shown).isEqualTo(6);
  }
}
