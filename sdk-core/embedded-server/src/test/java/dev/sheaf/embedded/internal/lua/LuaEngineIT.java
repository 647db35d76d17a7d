// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.RawConnection;
import dev.sheaf.embedded.RedisProcess;
import dev.sheaf.embedded.internal.data.Numbers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Every script of scripts.txt through a redis-server and through the engine, byte for byte. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LuaEngineIT {

  private static final List<byte[]> KEYS = List.of(TinyHost.bytes("k1"), TinyHost.bytes("k2"));
  private static final List<byte[]> ARGS =
      List.of(TinyHost.bytes("a1"), TinyHost.bytes("12"), TinyHost.bytes("\0\u0001\u00ff\u0080"));

  private @Nullable RedisProcess redis;
  private @Nullable RawConnection connection;
  private final TinyHost host = new TinyHost();
  private final LuaEngine engine = new LuaEngine(host);

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    redis = RedisProcess.start(folder);
    connection = new RawConnection(redis.port());
  }

  @AfterAll
  void stop() throws Exception {
    engine.close();
    if (connection != null) {
      connection.close();
    }
    if (redis != null) {
      redis.close();
    }
  }

  @Test
  void everyScript_getsTheReplyOfAServer() throws IOException {
    List<String> differences = new ArrayList<>();
    List<String> scripts = scripts();
    for (String script : scripts) {
      String expected = comparable(TinyHost.text(server(script, "EVAL")));
      String actual = comparable(TinyHost.text(engine(script, false)));
      if (!expected.equals(actual)) {
        differences.add(script + "\n    server: " + expected + "\n    engine: " + actual);
      }
    }
    System.out.println("Compared " + scripts.size() + " scripts with a redis-server");
    assertThat(String.join("\n", differences)).isEmpty();
    assertThat(scripts).hasSizeGreaterThan(300);
  }

  @Test
  void readOnlyScripts_getTheReplyOfAServer() {
    String script = "return redis.call('set', KEYS[1], 'x')";
    assertThat(TinyHost.text(engine(script, true)))
        .isEqualTo(TinyHost.text(server(script, "EVAL_RO")));
  }

  private static List<String> scripts() throws IOException {
    try (InputStream in = LuaEngineIT.class.getResourceAsStream("scripts.txt")) {
      String text =
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.ISO_8859_1);
      return text.lines().filter(line -> !line.isBlank() && !line.startsWith("-- ")).toList();
    }
  }

  /** Addresses differ from run to run. */
  private static String comparable(String reply) {
    return reply.replaceAll("0x[0-9a-f]{6,}", "0xADDRESS");
  }

  private byte[] server(String script, String command) {
    List<byte[]> words = new ArrayList<>();
    words.add(TinyHost.bytes(command));
    words.add(TinyHost.bytes(script));
    words.add(TinyHost.bytes("2"));
    words.addAll(KEYS);
    words.addAll(ARGS);
    try {
      return TinyHost.bytes(Objects.requireNonNull(connection).call(words));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private byte[] engine(String script, boolean readOnly) {
    byte[] source = TinyHost.bytes(script);
    host.nextScript();
    Object reply;
    try {
      reply = engine.eval(source, RedisLibrary.sha1(source), KEYS, ARGS, readOnly);
    } catch (ScriptException e) {
      reply = new LuaError(String.valueOf(e.getMessage()));
    }
    return encoded(reply);
  }

  private static final Object NULL = new Object();

  /** As a server writes it to a connection in RESP2. */
  private static byte[] encoded(@Nullable Object reply) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Deque<Iterator<?>> open = new ArrayDeque<>();
    open.push(List.of(reply == null ? NULL : reply).iterator());
    while (!open.isEmpty()) {
      if (!open.element().hasNext()) {
        open.pop();
        continue;
      }
      Object value = open.element().next();
      Collection<?> inside = write(out, value);
      if (inside != null) {
        open.push(inside.iterator());
      }
    }
    return out.toByteArray();
  }

  private static @Nullable Collection<?> write(ByteArrayOutputStream out, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      List<@Nullable Object> flat = new ArrayList<>();
      map.forEach(
          (key, element) -> {
            flat.add(key);
            flat.add(element);
          });
      return write(out, flat);
    }
    if (value instanceof List<?> || value instanceof Set<?>) {
      Collection<?> elements = (Collection<?>) value;
      line(out, "*" + elements.size());
      return elements;
    }
    if (value instanceof byte[] bytes) {
      bulk(out, bytes);
    } else if (value instanceof Long number) {
      line(out, ":" + number);
    } else if (value instanceof Boolean bool) {
      line(out, bool ? ":1" : ":0");
    } else if (value instanceof LuaStatus status) {
      line(out, "+" + status.text());
    } else if (value instanceof LuaError error) {
      line(out, "-" + error.text());
    } else if (value instanceof Double number) {
      bulk(out, TinyHost.bytes(Numbers.general(number, 17)));
    } else if (value instanceof LuaBigNumber number) {
      bulk(out, TinyHost.bytes(number.digits()));
    } else if (value instanceof LuaVerbatim verbatim) {
      bulk(out, verbatim.text());
    } else {
      line(out, "$-1");
    }
    return null;
  }

  private static void bulk(ByteArrayOutputStream out, byte[] bytes) {
    line(out, "$" + bytes.length);
    out.writeBytes(bytes);
    line(out, "");
  }

  private static void line(ByteArrayOutputStream out, String text) {
    out.writeBytes(TinyHost.bytes(text + "\r\n"));
  }
}
