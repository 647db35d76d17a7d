// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.protocol.Edition;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A few commands over a map, with a server's replies and errors. */
class TinyHost implements LuaHost {

  final List<String> logged = new ArrayList<>();
  private final Map<String, Object> data = new HashMap<>();
  private int respVersion;

  /** Chars are bytes. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  void flush() {
    data.clear();
  }

  @Override
  public RecordedReply call(byte[][] command, int respVersion) {
    this.respVersion = respVersion;
    RecordedReply reply = new RecordedReply(respVersion, Edition.REDIS_7_0);
    reply.value(answer(command));
    return reply;
  }

  static RecordedReply.Text status(String text) {
    return new RecordedReply.Text('+', text);
  }

  static RecordedReply.Text error(String line) {
    return new RecordedReply.Text('-', line);
  }

  @Nullable Object answer(byte[][] args) {
    List<byte[]> command = List.of(args);
    List<String> words = command.stream().map(TinyHost::text).toList();
    String name = words.get(0).toLowerCase(java.util.Locale.ROOT);
    return switch (name) {
      case "ping" -> words.size() > 1 ? command.get(1) : status("PONG");
      case "echo" -> words.size() == 2 ? command.get(1) : wrongArguments();
      case "get" -> words.size() == 2 ? get(words.get(1)) : wrongArguments();
      case "set" -> set(words, command);
      case "del" -> words.size() == 2 ? (data.remove(words.get(1)) == null ? 0L : 1L) : 0L;
      case "incr" -> increment(words.get(1));
      case "rpush" -> push(words.get(1), command.subList(2, command.size()));
      case "lrange" -> list(words.get(1));
      case "hset" -> hset(words.get(1), words.get(2), command.get(3));
      case "hgetall" -> hgetall(words.get(1));
      case "smembers" -> respVersion == 3 ? Set.of(bytes("m")) : List.of(bytes("m"));
      case "zscore" -> respVersion == 3 ? (Object) 1.5 : bytes("1.5");
      default -> error("ERR Unknown Redis command called from script");
    };
  }

  private static RecordedReply.Text wrongArguments() {
    return error("ERR Wrong number of args calling Redis command from script");
  }

  private @Nullable Object get(String key) {
    Object value = data.get(key);
    return value == null || value instanceof byte[] ? value : wrongType();
  }

  private Object set(List<String> words, List<byte[]> command) {
    if (words.size() < 3) {
      return wrongArguments();
    }
    data.put(words.get(1), command.get(2));
    return status("OK");
  }

  private Object increment(String key) {
    Object value = data.getOrDefault(key, bytes("0"));
    if (!(value instanceof byte[] digits)) {
      return wrongType();
    }
    try {
      long next = Long.parseLong(text(digits)) + 1;
      data.put(key, bytes(Long.toString(next)));
      return next;
    } catch (NumberFormatException e) {
      return error("ERR value is not an integer or out of range");
    }
  }

  @SuppressWarnings("unchecked")
  private Object push(String key, List<byte[]> values) {
    List<byte[]> list = (List<byte[]>) data.computeIfAbsent(key, k -> new ArrayList<byte[]>());
    list.addAll(values);
    return (long) list.size();
  }

  private Object list(String key) {
    Object value = data.get(key);
    return value == null ? List.of() : value;
  }

  @SuppressWarnings("unchecked")
  private Object hset(String key, String field, byte[] value) {
    Map<String, byte[]> hash =
        (Map<String, byte[]>) data.computeIfAbsent(key, k -> new LinkedHashMap<String, byte[]>());
    return hash.put(field, value) == null ? 1L : 0L;
  }

  @SuppressWarnings("unchecked")
  private Object hgetall(String key) {
    Map<String, byte[]> hash = (Map<String, byte[]>) data.getOrDefault(key, Map.of());
    if (respVersion == 3) {
      Map<byte[], byte[]> copy = new LinkedHashMap<>();
      hash.forEach((field, value) -> copy.put(bytes(field), value));
      return copy;
    }
    List<byte[]> flat = new ArrayList<>();
    hash.forEach(
        (field, value) -> {
          flat.add(bytes(field));
          flat.add(value);
        });
    return flat;
  }

  private static RecordedReply.Text wrongType() {
    return error("WRONGTYPE Operation against a key holding the wrong kind of value");
  }

  @Override
  public void log(int level, byte[] message) {
    logged.add(level + " " + text(message));
  }
}
