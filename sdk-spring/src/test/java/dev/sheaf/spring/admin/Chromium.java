// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A headless Chromium with one page, driven by its DevTools protocol. */
final class Chromium implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Process process;
  private final Path profile;
  private final WebSocket socket;
  private final AtomicInteger ids = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();

  /** Where it is installed, if it is. */
  static Optional<Path> find() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.concat(
            Stream.ofNullable(System.getProperty("sheaf.browser")).map(Path::of),
            Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> Stream.of(path.split(":")).map(folder -> Path.of(folder, name))))
        .filter(Files::isExecutable)
        .findFirst();
  }

  Chromium(Path program) throws IOException {
    this.profile = Files.createTempDirectory("sheaf-browser");
    this.process =
        new ProcessBuilder(
                program.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-extensions",
                "--disable-sync",
                "--no-first-run",
                "--no-default-browser-check",
                "--hide-scrollbars",
                "--lang=en",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      this.socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .buildAsync(URI.create(pageSocket()), new Replies())
              .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
              .join();
    } catch (RuntimeException e) {
      end();
      throw e;
    }
    call("Page.enable", Map.of());
    call("Runtime.enable", Map.of());
    call("Log.enable", Map.of());
  }

  private String pageSocket() {
    Path portFile = profile.resolve("DevToolsActivePort");
    Await.until(() -> lines(portFile).size() >= 2);
    String port = lines(portFile).get(0);
    List<String> found = new ArrayList<>();
    Await.until(
        () -> {
          for (JsonNode target : JSON.readTree(body("http://127.0.0.1:" + port + "/json/list"))) {
            if (target.get("type").asString().equals("page")) {
              found.add(target.get("webSocketDebuggerUrl").asString());
            }
          }
          return !found.isEmpty();
        });
    return found.get(0);
  }

  private static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String body(String uri) {
    return AdminApp.send(HttpRequest.newBuilder(URI.create(uri)), null).body();
  }

  private final class Replies implements WebSocket.Listener {

    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        handle(JSON.readTree(text.toString()));
        text.setLength(0);
      }
      socket.request(1);
      return null;
    }

    private void handle(JsonNode message) {
      if (message.has("id")) {
        CompletableFuture<JsonNode> reply = waiting.remove(message.get("id").asInt());
        if (reply != null) {
          reply.complete(message);
        }
      } else if (isComplaint(message)) {
        complaints.add(message.toString());
      }
    }

    private boolean isComplaint(JsonNode message) {
      return switch (message.get("method").asString()) {
        case "Runtime.exceptionThrown" -> true;
        // Answers of 400 and above are logged as errors of the network; pages may expect them.
        case "Log.entryAdded" ->
            message.at("/params/entry/level").asString().equals("error")
                && !message.at("/params/entry/source").asString().equals("network");
        default -> false;
      };
    }
  }

  /** Calls a method of the protocol and waits for its result. */
  JsonNode call(String method, Map<String, ?> parameters) {
    int id = ids.incrementAndGet();
    CompletableFuture<JsonNode> reply = new CompletableFuture<>();
    waiting.put(id, reply);
    String request =
        JSON.writeValueAsString(Map.of("id", id, "method", method, "params", parameters));
    socket.sendText(request, true).join();
    JsonNode answer = reply.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    if (answer.has("error")) {
      throw new IllegalStateException(method + ": " + answer.get("error"));
    }
    return answer.get("result");
  }

  /** Exceptions, and what the page's policy forbade, so far. */
  List<String> complaints() {
    return complaints;
  }

  void headers(Map<String, String> headers) {
    call("Network.enable", Map.of());
    call("Network.setExtraHTTPHeaders", Map.of("headers", headers));
  }

  void open(URI uri) {
    call("Page.navigate", Map.of("url", uri.toString()));
    until("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  /** The value of an expression, which may be a promise. */
  JsonNode evaluate(String expression) {
    JsonNode result =
        call(
            "Runtime.evaluate",
            Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
    if (result.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
    }
    return result.get("result").path("value");
  }

  String text(String expression) {
    return evaluate(expression).asString();
  }

  void until(String condition) {
    Await.until(() -> evaluate("!!(" + condition + ")").asBoolean());
  }

  void type(String text) {
    call("Input.insertText", Map.of("text", text));
  }

  void press(String key, int code) {
    for (String type : List.of("keyDown", "keyUp")) {
      Map<String, Object> event =
          new java.util.HashMap<>(
              Map.of("type", type, "key", key, "code", key, "windowsVirtualKeyCode", code));
      if (key.equals("Enter") && type.equals("keyDown")) {
        event.put("text", "\r");
      }
      call("Input.dispatchKeyEvent", event);
    }
  }

  void screen(int width, int height, boolean phone, boolean dark) {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", phone));
    call(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
  }

  byte[] screenshot() {
    return Base64.getDecoder()
        .decode(
            call("Page.captureScreenshot", Map.of("format", "png", "optimizeForSpeed", false))
                .get("data")
                .asString());
  }

  private void end() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(profile)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // What a process that is ending still writes to is left to the system.
    }
  }

  @Override
  public void close() {
    socket.abort();
    end();
  }
}
