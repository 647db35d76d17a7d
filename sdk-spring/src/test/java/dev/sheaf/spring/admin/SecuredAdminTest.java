// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.spring.admin.AdminApp.Audits;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Both endpoints behind Spring Security, on Spring MVC. */
class SecuredAdminTest {

  private static final String PAGE = "/actuator/sheaf";
  private static final JsonMapper JSON = JsonMapper.shared();

  private static AdminApp app;

  @BeforeAll
  static void start() {
    app =
        AdminApp.start(
            WebApplicationType.SERVLET,
            List.of(AdminApp.OwnClient.class, AdminApp.Users.class, AdminSecurity.class),
            AdminApp.open(
                "sheaf.admin.show-values=when-authorized",
                "sheaf.admin.roles=REDIS_ADMIN",
                "sheaf.admin.keys.deny=secured:closed:*",
                "sheaf.admin.redact.fields=*birthday*"));
    app.sheaf().sync().set("secured:page", "{\"id\":1,\"password\":\"hunter2\"}");
    app.sheaf().sync().set("secured:closed:1", "hunter2");
    app.sheaf().sync().set("secured:big", "{\"text\":\"" + "lorem ipsum ".repeat(500) + "\"}");
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  static Stream<String> paths() {
    return Stream.of(
        PAGE,
        PAGE + "/page.js",
        PAGE + "/figures",
        "/actuator/sheafvalue?key=secured:page",
        "/actuator/sheafvalue");
  }

  @ParameterizedTest
  @MethodSource("paths")
  void anonymousUser_isAskedToSignIn(String path) {
    assertThat(app.get(path, null).statusCode()).isEqualTo(401);
    assertThat(app.get(path, null).body()).doesNotContain("hunter2");
  }

  @ParameterizedTest
  @MethodSource("paths")
  void userOfAnotherRole_isRefused(String path) {
    assertThat(app.get(path, "visitor").statusCode()).isEqualTo(403);
    assertThat(app.get(path, "visitor").body()).doesNotContain("hunter2");
  }

  @Test
  void userWhoMaySeeThePage_seesSizesAndNoValue() {
    HttpResponse<String> response = app.value("secured:page", "support");
    JsonNode report = JSON.readTree(response.body());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(report.get("valuesShown").asBoolean()).isFalse();
    assertThat(report.get("storedBytes").asInt()).isPositive();
    assertThat(report.get("values").get(0).get("value").isNull()).isTrue();
    assertThat(response.body()).doesNotContain("hunter2").doesNotContain("\\\"id\\\"");
    assertThat(app.audits().last().getData()).containsEntry("outcome", "sizes-only");
  }

  @Test
  void hashField_isNotNamedToWhoSeesSizesOnly() {
    app.sheaf().sync().hset("secured:hash0", Map.of("hunter2", "x"));

    assertThat(app.value("secured:hash0", "support").body()).doesNotContain("hunter2");
  }

  @Test
  void userWithTheRole_seesTheRedactedValue() {
    HttpResponse<String> response = app.value("secured:page", "admin");
    JsonNode value = JSON.readTree(response.body()).get("values").get(0);

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(value.get("kind").asString()).isEqualTo("json");
    assertThat(value.get("value").asString()).isEqualTo("{\"id\":1,\"password\":\"******\"}");
    assertThat(value.get("redactedFields").asInt()).isEqualTo(1);
    assertThat(response.body()).doesNotContain("hunter2");
  }

  @Test
  void compressedValue_isShownWithWhatItSaves() {
    JsonNode report = JSON.readTree(app.value("secured:big", "admin").body());

    assertThat(report.get("values").get(0).get("algorithm").asString()).isEqualTo("snappy");
    assertThat(report.get("values").get(0).get("value").asString()).contains("lorem ipsum");
    assertThat(report.get("storedBytes").asInt()).isLessThan(report.get("originalBytes").asInt());
    assertThat(report.get("type").asString()).isEqualTo("string");
    assertThat(report.get("ttlMillis").isNull()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"secured:closed:1", "SECURED:CLOSED:1", "secured:token"})
  void deniedKey_isRefusedInEachEncoding(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    String hex = HexFormat.of().formatHex(bytes);
    String base64 = java.util.Base64.getEncoder().encodeToString(bytes);

    for (String query :
        List.of(
            "key=" + AdminApp.encoded(key),
            "encoding=hex&key=" + hex,
            "encoding=HEX&key=" + hex,
            "encoding=base64&key=" + AdminApp.encoded(base64))) {
      HttpResponse<String> response = app.get("/actuator/sheafvalue?" + query, "admin");
      assertThat(response.statusCode()).as(query).isEqualTo(403);
      assertThat(response.body()).contains("denied").doesNotContain("hunter2");
      assertThat(app.audits().last().getData()).containsEntry("outcome", "denied");
    }
  }

  @Test
  void secretsInAllTypes_areRedacted() {
    var redis = app.sheaf().sync();
    redis.hset(
        "secured:hash", Map.of("password", "hunter2", "userBirthday", "hunter2", "city", "Ulm"));
    redis.hset("secured:hash", "doc", "{\"a\":[{\"token\":\"hunter2\"}]}");
    redis.rpush("secured:list", "{\"a\":{\"password\":\"hunter2\"}}", "password=hunter2");
    redis.sadd("secured:set", "{\"password\":\"hunter2\"}");
    redis.zadd("secured:zset", 1.5, "[{\"birthday\":\"hunter2\"}]");
    redis.set(
        "secured:base64",
        java.util.Base64.getEncoder()
            .encodeToString("{\"password\":\"hunter2\"}".getBytes(StandardCharsets.UTF_8)));
    redis.set(
        "secured:hex",
        HexFormat.of().formatHex("{\"password\":\"hunter2\"}".getBytes(StandardCharsets.UTF_8)));
    redis.set("secured:broken", "{\"password\":\"hunter2\"");
    redis.set(
        "secured:large", "{\"password\":\"hunter2\",\"x\":\"" + "abcdefgh".repeat(300_000) + "\"}");

    for (String key : List.of("hash", "list", "set", "zset", "base64", "hex", "broken", "large")) {
      HttpResponse<String> response = app.value("secured:" + key, "admin");
      assertThat(response.statusCode()).as(key).isEqualTo(200);
      assertThat(response.body())
          .as(key)
          .doesNotContain("hunter2")
          .doesNotContain("aHVudGVyMi")
          .doesNotContain("h1bnRlcj")
          .doesNotContain("68756e74657232");
    }
    assertThat(app.value("secured:hash", "admin").body()).contains("Ulm");
  }

  @Test
  void eachRead_isAuditedWithoutTheValue() {
    Audits audits = app.audits();
    app.value("secured:page", "admin");

    assertThat(audits.last().getPrincipal()).isEqualTo("admin");
    assertThat(audits.last().getType()).isEqualTo("SHEAF_VALUE_READ");
    assertThat(audits.last().getData())
        .containsOnlyKeys("key", "outcome", "redactedFields")
        .containsEntry("key", "secured:page")
        .containsEntry("outcome", "shown")
        .containsEntry("redactedFields", 1);

    app.value("secured:none\nfake", "admin");
    assertThat(audits.last().getData())
        .containsEntry("key", "secured:none\\u000afake")
        .containsEntry("outcome", "absent");
    assertThat(audits.events.toString()).doesNotContain("hunter2");
  }

  @Test
  void statusCodes() {
    assertThat(app.value("secured:none", "admin").statusCode()).isEqualTo(404);
    assertThat(app.get("/actuator/sheafvalue", "admin").statusCode()).isEqualTo(400);
    assertThat(app.get("/actuator/sheafvalue?key=", "admin").statusCode()).isEqualTo(400);
    assertThat(app.get("/actuator/sheafvalue?key=xyz&encoding=hex", "admin").statusCode())
        .isEqualTo(400);
    assertThat(app.get("/actuator/sheafvalue?key=a&encoding=rot13", "admin").statusCode())
        .isEqualTo(400);
    assertThat(app.get("/actuator/sheafvalue/secured:page", "admin").statusCode()).isEqualTo(404);
    assertThat(app.get(PAGE + "/page.html", "admin").statusCode()).isEqualTo(404);
    assertThat(app.get(PAGE + "/..%2fpage.js", "admin").statusCode()).isIn(400, 404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH"})
  void otherMethodsThanGet_doNothing(String method) {
    for (String path : List.of(PAGE, PAGE + "/figures", "/actuator/sheafvalue?key=secured:page")) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(app.uri(path)).method(method, HttpRequest.BodyPublishers.noBody());
      assertThat(AdminApp.send(request, "admin").statusCode()).as(path).isIn(403, 405);
    }
  }

  @ParameterizedTest
  @MethodSource("paths")
  void allAnswers_haveTheHeaders(String path) {
    for (String user : List.of("admin", "visitor", "nobody")) {
      HttpResponse<String> response = app.get(path, user);
      AdminHeaders.HEADERS.forEach(
          (name, value) ->
              assertThat(response.headers().allValues(name))
                  .as(path + " " + name)
                  .containsExactly(value));
    }
  }

  @Test
  void requestByAnotherSite_isRefused() {
    HttpRequest.Builder value =
        HttpRequest.newBuilder(app.uri("/actuator/sheafvalue?key=secured:page"))
            .header("Sec-Fetch-Site", "cross-site");
    HttpRequest.Builder link =
        HttpRequest.newBuilder(app.uri(PAGE)).header("Sec-Fetch-Site", "cross-site");
    int audited = app.audits().events.size();

    assertThat(AdminApp.send(value, "admin").statusCode()).isEqualTo(403);
    assertThat(app.audits().events).hasSize(audited);
    assertThat(AdminApp.send(link, "admin").statusCode()).isEqualTo(200);
  }

  @Test
  void pageAndItsFiles_haveTheirTypes() {
    assertThat(type(PAGE)).isEqualTo("text/html;charset=UTF-8");
    assertThat(type(PAGE + "/page.js")).isEqualTo("text/javascript;charset=UTF-8");
    assertThat(type(PAGE + "/page.css")).isEqualTo("text/css;charset=UTF-8");
    assertThat(type(PAGE + "/icon.svg")).isEqualTo("image/svg+xml;charset=UTF-8");
    assertThat(type(PAGE + "/figures")).startsWith("application/json");
  }

  private static String type(String path) {
    HttpResponse<String> response = app.get(path, "support");
    assertThat(response.statusCode()).as(path).isEqualTo(200);
    return response.headers().firstValue("Content-Type").orElseThrow();
  }

  @Test
  void figures_tellOfBatchesGuardAndCompression() {
    app.sheaf().availability().isAvailable();
    JsonNode figures = JSON.readTree(app.get(PAGE + "/figures", "support").body());

    assertThat(figures.get("guard").get("state").asString()).isEqualTo("UP");
    assertThat(figures.get("guard").get("nodes")).isNotEmpty();
    assertThat(figures.get("metered").asBoolean()).isTrue();
    assertThat(figures.get("meters").findValuesAsString("name"))
        .contains("sheaf.batch.commands", "sheaf.compression.size", "sheaf.availability.ping")
        .allMatch(name -> name.startsWith("sheaf."));
    assertThat(figures.toString()).doesNotContain("secured:").doesNotContain("hunter2");
  }
}
