// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/** The shop as its command starts it, but with fewer visits allowed. */
@SpringBootTest(properties = "shop.rate-limit.visits=" + ShopTest.VISITS)
@AutoConfigureMockMvc
class ShopTest {

  static final int VISITS = 5;

  @Autowired MockMvcTester shop;

  /** Each test is a visitor of its own. */
  private MvcTestResult get(String visitor, String uri) {
    return shop.get()
        .uri(uri)
        .with(
            request -> {
              request.setRemoteAddr(visitor);
              return request;
            })
        .exchange();
  }

  @Test
  void page_comesFromTheDatabaseAndThenFromRedis() {
    assertThat(get("first", "/"))
        .hasStatusOk()
        .bodyText()
        .contains("30 products", "0 of them from Redis", ">Banana jam No. 1<")
        .contains("page 1 of 100");
    assertThat(get("first", "/")).hasStatusOk().bodyText().contains("30 of them from Redis");
  }

  @Test
  void bothWays_areMeasuredOnLoad_withAWaterfall() throws Exception {
    MvcTestResult page = get("curious", "/?page=2");

    assertThat(page)
        .bodyText()
        .containsPattern("id=\"factor\">[\\d.]+×<")
        .contains("id=\"trips-without\">30<");
    assertThat(page.getResponse().getContentAsString().split("<rect class=\"with\"", -1))
        .hasSize(1 + 30);
    // 30 round trips of a millisecond each.
    assertThat(millis(page, "without")).isGreaterThan(30);
    assertThat(millis(page, "with")).isPositive();
  }

  private static double millis(MvcTestResult page, String way) {
    String prefix = way + ";dur=";
    return page.getResponse().getHeaders("Server-Timing").stream()
        .filter(header -> header.startsWith(prefix))
        .mapToDouble(header -> Double.parseDouble(header.substring(prefix.length())))
        .sum();
  }

  @Test
  void visitorWhoComesTooOften_isToldWhenToComeAgain() {
    for (int visit = 0; visit < VISITS; visit++) {
      assertThat(get("hasty", "/?page=3")).hasStatusOk();
    }
    MvcTestResult refused = get("hasty", "/?page=3");
    assertThat(refused)
        .hasStatus(429)
        .bodyText()
        .contains("at most 5 in 10000 ms (shop.rate-limit). Try again in ");
    assertThat(Integer.parseInt(refused.getResponse().getHeader("Retry-After"))).isBetween(1, 10);
    assertThat(get("patient", "/?page=3")).hasStatusOk();
  }

  @Test
  void pageThatThereIsNot_isSaid() {
    assertThat(get("lost", "/?page=0"))
        .hasStatus(404)
        .bodyText()
        .isEqualTo("There is no page 0, only 1 to 100.\n");
    assertThat(get("lost", "/?page=101")).hasStatus(404);
    assertThat(get("lost", "/?page=first")).hasStatus(400);
  }

  @Test
  void adminPage_showsAProduct() {
    get("admin", "/");
    assertThat(get("admin", "/actuator/sheaf")).hasStatusOk();
    assertThat(get("admin", "/actuator/sheafvalue?key=product:1"))
        .hasStatusOk()
        .bodyText()
        .contains("Banana jam No. 1");
  }
}
