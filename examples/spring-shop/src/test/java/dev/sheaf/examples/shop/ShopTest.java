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
        .contains("0 of them from Redis", "for 30 products", "<td>Banana jam No. 1</td>")
        .contains("page 1 of 100");
    assertThat(get("first", "/")).hasStatusOk().bodyText().contains("30 of them from Redis");
  }

  @Test
  void switchedOff_showsTheSameProducts() {
    assertThat(get("switch", "/?page=2&sheaf=false"))
        .bodyText()
        .contains("<td>Banana jam No. 31</td>", "class=\"chosen\">off</a>");
    assertThat(get("switch", "/?page=2&sheaf=true"))
        .bodyText()
        .contains("<td>Banana jam No. 31</td>", "class=\"chosen\">on</a>");
    // 30 round trips of a millisecond each: the times are not close.
    assertThat(micros(get("switch", "/?page=2&sheaf=false"))).isGreaterThan(30_000);
  }

  private static double micros(MvcTestResult page) {
    String text = page.getResponse().getHeader("Server-Timing");
    return Double.parseDouble(text.replaceAll("^page;dur=", "")) * 1_000;
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
