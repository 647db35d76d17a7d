// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.acme.shop.ProductPages;
import dev.sheaf.Sheaf;
import dev.sheaf.scripts.ScriptLibrary;
import io.lettuce.core.codec.ByteArrayCodec;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;

/**
 * The page in a real Chromium. {@code -Dsheaf.requireBrowser=true} fails where there is none,
 * {@code -Dsheaf.screenshots=folder} writes the pictures of the guide.
 */
class AdminPageIT {

  private static final String HOSTILE =
      "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";

  private static Chromium browser;
  private static AdminApp app;
  private static String signedIn = "";

  @BeforeAll
  static void start() throws IOException {
    Optional<Path> program = Chromium.find();
    if (program.isEmpty()) {
      String reason =
          "no Chromium: neither chromium, chromium-browser nor google-chrome is on the path,"
              + " and sheaf.browser names none";
      assertThat(Boolean.getBoolean("sheaf.requireBrowser")).as(reason).isFalse();
      System.out.println("SKIPPED the tests of the admin page: " + reason);
      abort(reason);
    }
    app =
        AdminApp.start(
            WebApplicationType.SERVLET,
            List.of(AdminApp.OwnClient.class, AdminApp.Users.class, AdminSecurity.class),
            AdminApp.open(
                "sheaf.admin.show-values=when-authorized",
                "sheaf.admin.roles=REDIS_ADMIN",
                "sheaf.admin.redact.show-unstructured=true",
                "spring.application.name=Garden & Home"));
    browser = new Chromium(program.get());
    writeValues();
    work();
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
    if (app != null) {
      app.close();
    }
  }

  private static void writeValues() {
    var redis = app.sheaf().sync();
    redis.set("product:4711", product());
    redis.pexpire("product:4711", 3_600_000);
    redis.set("ui:script", "{\"html\":\"" + HOSTILE.replace("\"", "\\\"") + "\"}");
    redis.set("ui:script-text", HOSTILE);
    redis.hset("ui:hash", Map.of(HOSTILE, HOSTILE, "city", "Ulm"));
    redis.set("ui:number", "[12345678901234567890.10, 1, 1]");
    redis.set("ui:rtl", "{\"a\":\"\u202e\u05d0\u05d1 exe.gpj\",\"b\":\"after\"}");
    redis.set("ui:deep", "[".repeat(190) + "]".repeat(190));
    redis.set(
        "ui:wide", IntStream.range(0, 20_000).mapToObj(i -> "\"v" + i + "\"").toList().toString());
    try (Sheaf<byte[], byte[]> bytes =
        Sheaf.builder(AdminApp.SERVER.uri()).codec(ByteArrayCodec.INSTANCE).connect()) {
      bytes.sync().set(utf8("ui:large"), new byte[10_000_000]);
      bytes.sync().set(utf8("ui:binary"), new byte[] {0, (byte) 0xFF, '<', 'b', '>'});
      bytes.sync().set(utf8("ui:invalid"), new byte[] {'a', (byte) 0xC3, (byte) 0x28});
      bytes.sync().set(new byte[] {(byte) 0xFF, 0, '<'}, utf8("found"));
    }
  }

  private static String product() {
    StringBuilder reviews = new StringBuilder();
    for (int i = 1; i <= 12; i++) {
      reviews
          .append(i == 1 ? "" : ",")
          .append("{\"stars\":")
          .append(1 + i % 5)
          .append(",\"text\":\"Works as described, arrived on time and well packed.\"}");
    }
    return "{\"id\":4711,\"title\":\"Scythe, 70 cm blade\",\"price\":89.90,\"inStock\":true,"
        + "\"supplier\":{\"name\":\"Sense & Söhne\",\"apiKey\":\"x-93-1f\"},"
        + "\"tags\":[\"garden\",\"harvest\"],\"reviews\":["
        + reviews
        + "]}";
  }

  /** Gives the views something to show. */
  private static void work() {
    List<String> keys = IntStream.range(0, 200).mapToObj(i -> "ui:page:" + i).toList();
    ProductPages.writeAll(app.sheaf(), keys, product());
    for (int round = 0; round < 20; round++) {
      app.sheaf().getAll(keys);
    }
    app.sheaf().scripts().register(ScriptLibrary.SUM_LLEN).call(List.of("ui:none"));
    app.sheaf().availability().isAvailable();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @BeforeEach
  void open() {
    browser.complaints().clear();
    browser.screen(1100, 800, false, false);
    if (!signedIn.equals("admin")) {
      signIn("admin");
    }
  }

  @AfterEach
  void nothingWasRunOrForbidden() {
    assertThat(browser.text("document.title")).isEqualTo("Sheaf");
    assertThat(
            browser
                .evaluate("document.querySelectorAll('main script, main img, main b').length")
                .asInt())
        .isZero();
    assertThat(browser.complaints()).isEmpty();
  }

  private static void signIn(String user) {
    signedIn = user;
    browser.headers(Map.of("Authorization", AdminApp.basic(user)));
    browser.open(app.uri("/actuator/sheaf"));
    browser.until("document.getElementById('guard').textContent.includes('UP')");
  }

  /** Types a key as a person would, and waits for what is shown. */
  private static String look(String key, String encoding) {
    browser.evaluate(
        "document.getElementById('tab-value').click();"
            + "document.getElementById('encoding').value='"
            + encoding
            + "';"
            + "document.getElementById('message').hidden = true;"
            + "document.getElementById('found').hidden = true;"
            + "document.getElementById('key').focus();"
            + "document.getElementById('key').select()");
    browser.type(key);
    browser.press("Enter", 13);
    browser.until(
        "!document.getElementById('found').hidden"
            + " || (!document.getElementById('message').hidden"
            + " && document.getElementById('message').textContent !== 'Looking…')");
    return browser.text(
        "document.getElementById('found').hidden"
            + " ? document.getElementById('message').textContent"
            + " : document.getElementById('found').textContent");
  }

  private static void choose(String view) {
    browser.evaluate(
        "[...document.querySelectorAll('.tools button')].find(b => b.textContent === '"
            + view
            + "').click()");
  }

  private static String content() {
    return browser.text("document.querySelector('.content').textContent");
  }

  @Test
  void typedKey_showsItsDocument() {
    String shown = look("product:4711", "utf8");

    assertThat(shown)
        .contains("Key product:4711", "string", "snappy", "Saved by compression")
        .containsPattern("5[0-9] min")
        .contains("\"title\": \"Scythe, 70 cm blade\"", "\"price\": 89.90", "1 redacted")
        .doesNotContain("x-93-1f");
    assertThat(browser.evaluate("document.querySelectorAll('.masked').length").asInt()).isOne();
    picture("admin-value", 1100, 800, false, false);
    picture("admin-value-phone", 400, 800, true, true);
  }

  @Test
  void deepParts_areFoldedUntilOpened() {
    look("product:4711", "utf8");
    assertThat(content()).doesNotContain("\"stars\"");

    browser.evaluate(
        "[...document.querySelectorAll('.content details')].forEach(d => d.open = true)");
    browser.until("document.querySelector('.content').textContent.includes('\"stars\"')");
  }

  @Test
  void hexView_showsTheBytesOfWhatMayBeSeen() {
    look("product:4711", "utf8");
    choose("Hex");

    assertThat(content()).startsWith("00000000  7b 22 69 64 22 3a").contains("{\"id\":4711");
    browser.evaluate("[...document.querySelectorAll('.content .more')].forEach(b => b.click())");
    assertThat(content().replaceAll("\\s", "")).doesNotContain("782d39332d3166");
  }

  @Test
  void copy_saysThatItDidOrCouldNot() {
    look("product:4711", "utf8");
    choose("Copy");

    browser.until(
        "/Copied|not allow/.test(document.querySelector('.tools [role=status]').textContent)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ui:script", "ui:script-text", "ui:hash"})
  void markup_isShownAsText(String key) {
    String shown = look(key, "utf8");

    assertThat(shown).contains("<script>document.title=");
  }

  @Test
  void markupInAKey_isShownAsText() {
    assertThat(look("<img src=x onerror=alert(1)>", "utf8")).isEqualTo("There is no such key.");
    app.sheaf().sync().set(HOSTILE, "42");
    assertThat(look(HOSTILE, "utf8")).contains("Key " + HOSTILE, "42");
  }

  @Test
  void numbers_keepTheirDigits() {
    look("ui:number", "utf8");

    assertThat(content()).contains("12345678901234567890.10");
  }

  @Test
  void directionMarks_areShownAndTurnNothing() {
    look("ui:rtl", "utf8");

    assertThat(content()).contains("\\u202e").doesNotContain("\u202e").contains("\"b\": \"after\"");
    assertThat(browser.text("document.querySelector('.escape').textContent")).isEqualTo("\\u202e");
  }

  @Test
  void largeValue_isNotShownAndNamed() {
    assertThat(look("ui:large", "utf8")).contains("10 MB", "too large", "max-value-size");
  }

  @Test
  void binaryValues_areShownInHexadecimal() {
    look("ui:binary", "utf8");
    assertThat(content()).contains("00 ff 3c 62 3e").contains("..<b>");

    look("ui:invalid", "utf8");
    assertThat(content()).contains("61 c3 28");
  }

  @Test
  void binaryKey_isFoundByItsBytes() {
    String hex = HexFormat.of().formatHex(new byte[] {(byte) 0xFF, 0, '<'});

    assertThat(look(hex, "hex")).contains("found", hex);
    assertThat(look("/wA8", "base64")).contains("found");
  }

  @Test
  void deepAndWideDocuments_areShownAPartAtATime() {
    look("ui:deep", "utf8");
    assertThat(content()).contains("[…]");

    look("ui:wide", "utf8");
    assertThat(content())
        .contains("\"v99\"")
        .doesNotContain("\"v100\"")
        .contains("19,900 are left");
  }

  @Test
  void mistakes_areNamed() {
    assertThat(look("zz", "hex")).isEqualTo("The key is not valid hex.");
    assertThat(look("user:1:password", "utf8")).contains("may not be looked at");
  }

  @Test
  void userWithoutTheRole_seesSizesAndWhy() {
    signIn("support");

    assertThat(look("product:4711", "utf8"))
        .contains("Saved by compression", "You see sizes only")
        .doesNotContain("Scythe");
  }

  @Test
  void userWhoMayNotAnyMore_isTold() {
    browser.headers(Map.of("Authorization", AdminApp.basic("visitor")));
    signedIn = "visitor";

    assertThat(look("product:4711", "utf8")).isEqualTo("You are not allowed to see this.");
  }

  @Test
  void firstView_saysWhatItIsForUntilAKeyIsLookedAt() {
    signIn("admin");
    assertThat(browser.text("document.getElementById('hint').innerText"))
        .contains("time to live", "audit event");
    look("product:4711", "utf8");
    assertThat(browser.evaluate("document.getElementById('hint').hidden").asBoolean()).isTrue();
  }

  @Test
  void tabs_areReachedByTheKeyboard() {
    browser.evaluate(
        "document.getElementById('key').value = '';"
            + "document.getElementById('tab-value').click();"
            + "document.getElementById('tab-value').focus()");
    browser.press("ArrowRight", 39);

    assertThat(browser.text("document.activeElement.id")).isEqualTo("tab-batching");
    assertThat(browser.evaluate("document.getElementById('view-batching').hidden").asBoolean())
        .isFalse();
    browser.press("End", 35);
    assertThat(browser.text("document.activeElement.id")).isEqualTo("tab-scripts");
    browser.press("/", 191);
    assertThat(browser.text("document.activeElement.id")).isEqualTo("key");
    assertThat(browser.text("document.getElementById('key').value")).isEmpty();
  }

  @Test
  void eachView_showsItsFigures() {
    assertThat(view("batching")).contains("Round trips saved", "GETs sent as MGET");
    assertThat(
            browser.evaluate("document.querySelectorAll('#view-batching polyline').length").asInt())
        .isGreaterThan(3);
    assertThat(view("compression")).contains("Written, original", "Stored as it is", "By prefix");
    assertThat(view("availability")).contains("Redis is UP", "127.0.0.1:" + AdminApp.SERVER.port());
    assertThat(
            browser.text(
                "[...document.querySelectorAll('#view-availability tbody td:first-child')]"
                    + ".map(cell => cell.textContent).filter(text => text === 'ok').join()"))
        .as("one row for all clients")
        .isEqualTo("ok");
    assertThat(view("loops")).contains("SET", "ProductPages.writeAll(ProductPages.java");
    assertThat(view("scripts")).contains("sum_llen");
  }

  @Test
  void header_namesTheApplicationAndTheNode() {
    assertThat(browser.text("document.getElementById('application').textContent"))
        .isEqualTo("Garden & Home");
    assertThat(browser.text("document.getElementById('nodes').textContent"))
        .isEqualTo("127.0.0.1:" + AdminApp.SERVER.port());
  }

  @Test
  void largestBatch_isNotBelowTheMean_andPlotsHaveAxes() {
    view("batching");
    List<String> keys = IntStream.range(0, 100).mapToObj(i -> "ui:page:" + i).toList();
    app.sheaf().getAll(keys);
    browser.until("!Number.isNaN(" + tile("Commands in a write") + ")");
    assertThat(
            browser
                .evaluate(
                    tile("Commands in the largest write") + " - " + tile("Commands in a write"))
                .asDouble())
        .isNotNegative();
    assertThat(browser.text("document.querySelector('#view-batching .axis.x').innerText"))
        .matches("(?s)\\d\\d:\\d\\d:\\d\\d.*time.*\\d\\d:\\d\\d:\\d\\d");
    assertThat(browser.text("document.querySelector('#view-batching .axis.y').innerText"))
        .contains("/s");
  }

  @Test
  void timeouts_areShownByHowFarCommandsHadCome() {
    view("batching");
    app.bean(MeterRegistry.class)
        .get("sheaf.timeouts")
        .tag("stage", "server-slow")
        .counter()
        .increment(3);
    browser.until("document.getElementById('view-batching').innerText.includes('server slow\\t3')");
  }

  /** The figure of a tile. */
  private static String tile(String label) {
    return "parseFloat([...document.querySelectorAll('#view-batching .tile')].find(tile =>"
        + " tile.firstChild.textContent === '"
        + label
        + "').children[1].textContent.replace(',', ''))";
  }

  @Test
  void dictionaries_areListedWhenTheButtonIsPressed() {
    assertThat(view("compression")).contains("List them").doesNotContain("None is stored.");

    browser.evaluate("document.getElementById('ask-dictionaries').click()");

    browser.until(
        "document.getElementById('view-compression').textContent.includes('None is stored.')");
  }

  @Test
  void compressionThatIsOff_isSaidInPlaceOfZeros() {
    signedIn = "";
    try (AdminApp off =
        AdminApp.start(
            WebApplicationType.SERVLET,
            List.of(AdminApp.Users.class, AdminSecurity.class),
            AdminApp.open("sheaf.compression.mode=off"))) {
      off.sheaf().sync().ping();
      browser.headers(Map.of("Authorization", AdminApp.basic("admin")));
      browser.open(off.uri("/actuator/sheaf"));
      browser.until("document.getElementById('guard').textContent.includes('Redis is')");

      assertThat(view("compression")).isEqualTo("Compression is off (sheaf.compression.mode).");
    }
  }

  private static String view(String name) {
    browser.evaluate("document.getElementById('tab-" + name + "').click()");
    browser.until(
        "!['', 'No figures yet.'].includes(document.getElementById('view-"
            + name
            + "').textContent)");
    return browser.text("document.getElementById('view-" + name + "').textContent");
  }

  @Test
  void narrowScreen_isNotWiderThanItself() {
    browser.screen(360, 700, true, true);
    for (String name : List.of("batching", "compression", "availability", "loops", "scripts")) {
      view(name);
      assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
          .as(name)
          .isLessThanOrEqualTo(360);
    }
    look("product:4711", "utf8");
    assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
        .isLessThanOrEqualTo(360);
    assertThat(
            browser
                .evaluate(
                    "Math.max(...[...document.querySelectorAll('[role=tab]')]"
                        + ".map(tab => tab.getBoundingClientRect().right))")
                .asDouble())
        .as("no view is out of sight")
        .isLessThanOrEqualTo(360);
    assertThat(
            browser
                .evaluate(
                    "new Set([...document.querySelectorAll('[role=tab]')]"
                        + ".map(tab => tab.getBoundingClientRect().top)).size")
                .asInt())
        .as("rows of tabs")
        .isOne();
  }

  private static void picture(String name, int width, int height, boolean phone, boolean dark) {
    String folder = System.getProperty("sheaf.screenshots");
    if (folder == null) {
      return;
    }
    browser.screen(width, height, phone, dark);
    try {
      Files.write(Path.of(folder, name + ".png"), browser.screenshot());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void pictureOfTheFigures() throws Exception {
    if (System.getProperty("sheaf.screenshots") == null) {
      return;
    }
    view("batching");
    List<String> keys = IntStream.range(0, 100).mapToObj(i -> "ui:page:" + i).toList();
    for (int i = 0; i < 8; i++) {
      int calls = 10 + 7 * (i % 4);
      String before = browser.text("document.querySelector('#view-batching .tiles').textContent");
      for (int call = 0; call < calls; call++) {
        app.sheaf().getAll(keys.subList(0, 20 + 10 * (i % 3)));
      }
      Await.until(
          () ->
              !before.equals(
                  browser.text("document.querySelector('#view-batching .tiles').textContent")));
    }
    picture("admin-batching", 1100, 620, false, false);
    for (String name : List.of("compression", "availability", "loops", "scripts")) {
      view(name);
      picture("admin-" + name, 1100, 620, false, true);
    }
  }
}
