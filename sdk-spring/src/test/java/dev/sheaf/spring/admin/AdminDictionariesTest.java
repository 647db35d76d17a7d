// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.spring.Orders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** The list of dictionaries, which says of each what it is and never what is in it. */
class AdminDictionariesTest {

  private static final String PATH = "/actuator/sheaf/dictionaries";

  /** In each value, and so in the dictionary. */
  private static final String SECRET = "parcel-express";

  @AfterEach
  void removeDictionaries() {
    try (AdminApp app = start("sheaf.compression.mode=off")) {
      app.sheaf().sync().del("sheaf:{dictionaries}");
    }
  }

  private static AdminApp start(String... properties) {
    String[] open = AdminApp.open(properties);
    String[] all = java.util.Arrays.copyOf(open, open.length + 1);
    all[open.length] = AdminApp.NO_SECURITY;
    return AdminApp.start(WebApplicationType.SERVLET, List.of(), all);
  }

  @Test
  void withoutDictionaries_theListIsEmpty() {
    try (AdminApp app = start("sheaf.compression.mode=read")) {
      HttpResponse<String> list = app.get(PATH, null);
      assertThat(list.statusCode()).isEqualTo(200);
      assertThat(list.headers().firstValue("Content-Type")).hasValue("application/json");
      assertThat(list.body()).contains("\"dictionaries\":[]").contains("\"left\":0");
    }
  }

  @Test
  void withoutCompression_theProblemIsNamed() {
    try (AdminApp app = start("sheaf.compression.mode=off")) {
      assertThat(app.get(PATH, null).body())
          .contains("\"dictionaries\":[]")
          .contains("sheaf.compression.mode is off");
    }
  }

  @Test
  void aTrainedDictionary_isListedWithoutItsContent() {
    try (AdminApp app =
        start(
            "sheaf.compression.mode=on",
            "sheaf.compression.dictionaries.mode=on",
            "sheaf.compression.dictionaries.samples=400",
            "sheaf.compression.dictionaries.max-nanos-per-saved-byte=1000000000")) {
      String body =
          Awaitility.await()
              .atMost(Duration.ofMinutes(1))
              .until(
                  () -> {
                    for (int i = 0; i < 500; i++) {
                      app.sheaf().sync().set("listed:" + i, Orders.order(i));
                    }
                    return app.get(PATH, null).body();
                  },
                  list -> list.contains("\"current\":true"));
      assertThat(body).contains("\"id\":\"").contains("\"samples\":").contains("\"ratio\":0.");
      assertThat(body).doesNotContain(SECRET).doesNotContain("content");
    }
  }
}
