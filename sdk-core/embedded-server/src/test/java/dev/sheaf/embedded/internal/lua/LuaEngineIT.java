// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.RawConnection;
import dev.sheaf.embedded.RedisProcess;
import dev.sheaf.embedded.internal.protocol.BufferPool;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.Edition;
import dev.sheaf.embedded.internal.protocol.RespWriter;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
  private final TestEngine engine = new TestEngine(host);

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
      String expected = comparable(TinyHost.text(server(script)));
      String actual = comparable(TinyHost.text(engine(script)));
      if (!expected.equals(actual)) {
        differences.add(script + "\n    server: " + expected + "\n    engine: " + actual);
      }
    }
    System.out.println("Compared " + scripts.size() + " scripts with a redis-server");
    assertThat(String.join("\n", differences)).isEmpty();
    assertThat(scripts).hasSizeGreaterThan(300);
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

  private byte[] server(String script) {
    List<byte[]> words = new ArrayList<>();
    words.add(TinyHost.bytes("EVAL"));
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

  /** As a server writes it to a connection in RESP2. */
  private byte[] engine(String script) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    RespWriter out =
        new RespWriter(
            new BufferPool(),
            Edition.REDIS_7_0,
            () -> {},
            chunk -> bytes.writeBytes(ByteBufUtil.getBytes(chunk)));
    try {
      engine.run(TinyHost.bytes(script), KEYS, ARGS).writeTo(out);
    } catch (CommandException e) {
      out.error(e.line());
    }
    out.drain();
    return bytes.toByteArray();
  }
}
