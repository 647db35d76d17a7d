// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** The shop on a server that counts, and then ends. */
@SpringBootTest
@AutoConfigureMockMvc
@DirtiesContext
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ShopOnAServerTest {

  private static final EmbeddedServer SERVER = EmbeddedServer.start();

  @Autowired MockMvcTester shop;

  @Autowired Sheaf<String, String> sheaf;

  @Autowired Catalogue catalogue;

  @DynamicPropertySource
  static void server(DynamicPropertyRegistry registry) {
    registry.add("spring.data.redis.url", SERVER::uri);
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** Of a page that has been read before. */
  private long batchesOf(boolean withSheaf) {
    catalogue.page(5, withSheaf);
    SERVER.resetStats();
    assertThat(catalogue.page(5, withSheaf).fromRedis()).isEqualTo(30);
    return SERVER.stats().readBatches();
  }

  @Test
  @Order(1)
  void theLoop_isAFewRoundTripsWithSheafAndManyWithout() {
    assertThat(batchesOf(false)).isGreaterThanOrEqualTo(30);
    // Two windows, each of which may arrive in two pieces, and the guard's PINGs.
    assertThat(batchesOf(true)).isLessThan(12);
  }

  @Test
  @Order(2)
  void withoutRedis_theDatabaseAnswersAndNobodyIsCounted() {
    SERVER.close();
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> !sheaf.availability().isAvailable());

    assertThat(shop.get().uri("/?page=6"))
        .hasStatusOk()
        .bodyText()
        .contains("30 products", "from the database, since Redis does not answer")
        .contains(">Banana jam No. 151<")
        .doesNotContain("id=\"factor\"");
    assertThat(catalogue.page(6, false).products()).hasSize(30);
  }
}
