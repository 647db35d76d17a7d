// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shop as the build has processed it ahead of time, in a JVM of its own. */
class ShopAheadOfTimeIT {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");

  @TempDir Path directory;

  @Test
  void theShopThatWasProcessed_answersFromRedis() throws Exception {
    Path printed = directory.resolve("printed");
    Process shop =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dspring.aot.enabled=true",
                "-Dserver.port=0",
                "-Dlogging.level.root=info",
                "-Dshop.rate-limit.visits=1000000",
                "-classpath",
                System.getProperty("java.class.path"),
                ShopApplication.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> !shop.isAlive() || STARTED.matcher(Files.readString(printed)).find());
      String log = Files.readString(printed);
      assertThat(log).contains("Starting AOT-processed ShopApplication");
      Matcher started = STARTED.matcher(log);
      assertThat(started.find()).as(log).isTrue();
      String shopUri = "http://127.0.0.1:" + started.group(1);

      // A busy machine may take a while until Redis counts as available.
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(get(shopUri + "/"))
                      .contains("30 of them from Redis", "Banana jam No. 1<"));
      assertThat(get(shopUri + "/actuator/health")).contains("\"redis\":{");
      for (String path : List.of("/actuator/sheaf", "/actuator/sheafvalue?key=product:1")) {
        assertThat(get(shopUri + path)).isNotEmpty();
      }
    } finally {
      shop.destroy();
    }
  }

  private static String get(String uri) throws Exception {
    var answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(uri)).timeout(PATIENCE).build(),
                BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(uri).isEqualTo(200);
    return answer.body();
  }
}
