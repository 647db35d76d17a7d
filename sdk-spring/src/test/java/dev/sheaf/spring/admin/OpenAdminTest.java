// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** Applications without Spring Security, on either kind of server, with a port for management. */
class OpenAdminTest {

  private static final String KEY = "open:page";

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void withoutSecurity_onlySizesAreShown(WebApplicationType type) {
    try (AdminApp app =
        start(
            type,
            "management.server.port=0",
            "management.endpoints.web.base-path=/manage",
            "management.endpoints.web.path-mapping.sheaf=redis/page",
            "management.endpoints.web.path-mapping.sheafvalue=redis/value",
            "sheaf.admin.show-values=when-authorized")) {
      app.sheaf().sync().set(KEY, "{\"a\":\"hunter2\"}");

      assertThat(app.managementPort()).isNotEqualTo(app.port());
      HttpResponse<String> page = app.get("/manage/redis/page", null);
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body())
          .contains("data-values=\"./../redis/value\"")
          .contains("src=\"page/page.js\"");
      assertHeaders(page);
      assertThat(app.get("/manage/redis/page/page.js", null).statusCode()).isEqualTo(200);
      assertThat(app.get("/manage/redis/page/none", null).statusCode()).isEqualTo(404);
      HttpResponse<String> figures = app.get("/manage/redis/page/figures", null);
      assertThat(figures.statusCode()).isEqualTo(200);
      assertThat(figures.body()).contains("sheaf.batch.commands");

      HttpResponse<String> value = app.get("/manage/redis/value?key=" + KEY, null);
      assertThat(value.statusCode()).isEqualTo(200);
      assertThat(value.body()).contains("\"valuesShown\":false").doesNotContain("hunter2");
      assertHeaders(value);
      assertThat(app.audits().last().getPrincipal()).isEmpty();

      assertThat(app.get("/manage/redis/value", null).statusCode()).isEqualTo(400);
      assertThat(app.get("/manage/redis/value?key=open:none", null).statusCode()).isEqualTo(404);
      assertThat(app.get("/manage/redis/value?key=a:token", null).statusCode()).isEqualTo(403);
      HttpRequest.Builder foreign =
          HttpRequest.newBuilder(app.uri("/manage/redis/value?key=" + KEY))
              .header("Sec-Fetch-Site", "cross-site");
      assertThat(AdminApp.send(foreign, null).statusCode()).isEqualTo(403);

      HttpRequest.Builder onApplicationPort =
          HttpRequest.newBuilder(
              java.net.URI.create("http://127.0.0.1:" + app.port() + "/manage/redis/page"));
      assertThat(AdminApp.send(onApplicationPort, null).statusCode()).isEqualTo(404);
    }
  }

  @Test
  void exposingEverything_opensNothingWithoutAccess() {
    try (AdminApp app =
        AdminApp.start(
            WebApplicationType.SERVLET,
            List.of(),
            AdminApp.NO_SECURITY,
            "management.endpoints.web.exposure.include=*",
            "sheaf.admin.show-values=always")) {
      for (String path :
          List.of("/sheaf", "/sheaf/page.js", "/sheaf/figures", "/sheafvalue?key=open:page")) {
        assertThat(app.get("/actuator" + path, null).statusCode()).as(path).isEqualTo(404);
      }
      assertThat(app.get("/actuator/health", null).statusCode()).isEqualTo(200);
    }
  }

  private static AdminApp start(WebApplicationType type, String... properties) {
    String[] open = AdminApp.open(properties);
    String[] all = java.util.Arrays.copyOf(open, open.length + 1);
    all[open.length] = AdminApp.NO_SECURITY;
    return AdminApp.start(type, List.of(), all);
  }

  private static void assertHeaders(HttpResponse<String> response) {
    AdminHeaders.HEADERS.forEach(
        (name, value) ->
            assertThat(response.headers().allValues(name)).as(name).containsExactly(value));
  }
}
