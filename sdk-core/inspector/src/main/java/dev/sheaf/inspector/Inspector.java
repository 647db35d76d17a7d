// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.Sheaf;
import dev.sheaf.internal.compression.Envelope;
import dev.sheaf.internal.compression.dictionary.KnownDictionaries;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is stored under a key and decodes it, whether it was compressed by Sheaf, GLIDE,
 * Redisson or gzip. It never writes, and reads no more than its limits allow. Once elements have
 * reached the limit for a value, further ones are only named.
 *
 * <p>Thread-safe. Each inspection takes up to six round trips.
 */
public final class Inspector {

  private final StatefulConnection<?, ?> connection;
  private final StoredCommands commands;
  private final InspectionLimits limits;
  private final Recognizer recognizer;

  private Inspector(StatefulConnection<?, ?> connection, InspectionLimits limits) {
    this.connection = connection;
    this.commands = new StoredCommands(connection);
    this.limits = limits;
    this.recognizer =
        new Recognizer(new KnownDictionaries(commands::dictionary), limits.maxOriginalBytes());
  }

  /** Creates an inspector that uses a client's connection, with the default limits. */
  public static Inspector of(Sheaf<?, ?> sheaf) {
    return of(sheaf, InspectionLimits.defaults());
  }

  /** Creates an inspector that uses a client's connection. */
  public static Inspector of(Sheaf<?, ?> sheaf, InspectionLimits limits) {
    return new Inspector(sheaf.isCluster() ? sheaf.cluster() : sheaf.standalone(), limits);
  }

  /**
   * Inspects a key, given as UTF-8 text, as {@link #inspect(byte[])} does.
   *
   * @return never null, also for a key that does not exist
   */
  public Inspection inspect(String key) {
    return inspect(key.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Inspects a key. Blocks at most the connection's command time-out for each round trip.
   *
   * @param key the key in its stored form
   * @return never null, also for a key that does not exist
   * @throws io.lettuce.core.RedisException if the server does not answer, or does not allow TYPE or
   *     reading this type
   */
  public Inspection inspect(byte[] key) {
    String type = text(commands.call(CommandType.TYPE, StoredCommands.key(key)));
    long ttl = number(commands.call(CommandType.PTTL, StoredCommands.key(key)));
    Object encoding =
        commands.callIfAllowed(
            CommandType.OBJECT, StoredCommands.args().add("ENCODING").addKey(key));
    Object memory =
        commands.callIfAllowed(CommandType.MEMORY, StoredCommands.args().add("USAGE").addKey(key));
    int slot = SlotHash.getSlot(key);
    Content content = content(key, type, memory instanceof Long bytes ? bytes : 0);
    return new Inspection(
        type,
        ttl < 0 ? null : Duration.ofMillis(ttl),
        encoding instanceof byte[] name ? text(name) : null,
        memory instanceof Long bytes ? bytes : -1,
        slot,
        node(slot),
        content.elements(),
        content.values(),
        content.note());
  }

  private record Content(long elements, List<InspectedValue> values, @Nullable String note) {}

  private @Nullable String node(int slot) {
    if (connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
      RedisClusterNode node = cluster.getPartitions().getMasterBySlot(slot);
      return node == null ? null : node.getUri().getHost() + ":" + node.getUri().getPort();
    }
    return null;
  }

  private Content content(byte[] key, String type, long memoryBytes) {
    return switch (type) {
      case "none" -> new Content(0, List.of(), null);
      case "string" -> string(key);
      case "hash" ->
          elements(key, CommandType.HLEN, memoryBytes, CommandType.HSCAN, scan(key), this::pairs);
      case "list" ->
          elements(key, CommandType.LLEN, memoryBytes, CommandType.LRANGE, range(key), this::list);
      case "set" ->
          elements(
              key, CommandType.SCARD, memoryBytes, CommandType.SSCAN, scan(key), this::members);
      case "zset" ->
          elements(
              key,
              CommandType.ZCARD,
              memoryBytes,
              CommandType.ZRANGE,
              range(key).add("WITHSCORES"),
              this::scored);
      case "stream" ->
          elements(
              key,
              CommandType.XLEN,
              memoryBytes,
              CommandType.XRANGE,
              StoredCommands.key(key).add("-").add("+").add("COUNT").add(limits.maxElements()),
              this::entries);
      default -> new Content(0, List.of(), "Values of type " + type + " are not shown");
    };
  }

  private CommandArgs<byte[], byte[]> scan(byte[] key) {
    return StoredCommands.key(key).add(0).add("COUNT").add(limits.maxElements());
  }

  private CommandArgs<byte[], byte[]> range(byte[] key) {
    return StoredCommands.key(key).add(0).add(limits.maxElements() - 1L);
  }

  private Content string(byte[] key) {
    long length = number(commands.call(CommandType.STRLEN, StoredCommands.key(key)));
    if (length <= limits.maxReadBytes()) {
      Object value = commands.call(CommandType.GET, StoredCommands.key(key));
      return value instanceof byte[] stored
          ? new Content(1, List.of(shown(null, stored)), null)
          : new Content(0, List.of(), "It was deleted meanwhile");
    }
    Object beginning =
        commands.call(
            CommandType.GETRANGE,
            StoredCommands.key(key).add(0).add(Math.max(limits.previewBytes(), 64) - 1L));
    return new Content(1, List.of(beginningOf(bytes(beginning), length)), null);
  }

  /** Describes a value that is too large to read by its first bytes. */
  private InspectedValue beginningOf(byte[] beginning, long length) {
    boolean sheaf =
        beginning.length >= Envelope.HEADER_BYTES
            && Envelope.looksLikeOne(beginning, 0, beginning.length);
    String problem =
        "It is stored in " + length + " bytes, and maxReadBytes=" + limits.maxReadBytes();
    if (sheaf) {
      return new InspectedValue(
          null,
          StoredForm.SHEAF,
          recognizer.algorithm(beginning),
          length,
          Envelope.originalLength(beginning, beginning.length),
          InspectedValue.Kind.HEX,
          "",
          false,
          problem);
    }
    Preview preview = preview(beginning, false);
    return new InspectedValue(
        null, StoredForm.RAW, null, length, -1, preview.kind(), preview.text(), false, problem);
  }

  /** An element in its stored form. */
  @SuppressWarnings("ArrayRecordComponent") // Used at once, never compared.
  private record Element(@Nullable String name, byte[] stored) {}

  /** Converts a reply to elements. */
  private interface Reading {
    void read(List<?> reply, List<Element> target);
  }

  private Content elements(
      byte[] key,
      CommandType count,
      long memoryBytes,
      CommandType read,
      CommandArgs<byte[], byte[]> args,
      Reading reading) {
    long elements = number(commands.call(count, StoredCommands.key(key)));
    long shown = Math.min(elements, limits.maxElements());
    if (elements > 0 && memoryBytes / elements * shown > limits.maxReadBytes()) {
      return new Content(
          elements,
          List.of(),
          "Its elements have about "
              + memoryBytes / elements
              + " bytes each, and maxReadBytes="
              + limits.maxReadBytes());
    }
    List<Element> stored = new ArrayList<>();
    if (commands.call(read, args) instanceof List<?> reply) {
      reading.read(reply, stored);
    }
    return new Content(elements, shown(stored), null);
  }

  /**
   * Decodes the first elements. Small ones can decompress to large ones, and together exceed the
   * limit.
   */
  private List<InspectedValue> shown(List<Element> stored) {
    List<InspectedValue> values = new ArrayList<>();
    long originalBytes = 0;
    for (Element element : stored.subList(0, Math.min(stored.size(), limits.maxElements()))) {
      InspectedValue value =
          originalBytes < limits.maxOriginalBytes()
              ? shown(element.name(), element.stored())
              : left(element);
      values.add(value);
      originalBytes += Math.max(value.originalBytes(), 0);
    }
    return values;
  }

  private InspectedValue left(Element element) {
    return new InspectedValue(
        element.name(),
        StoredForm.RAW,
        null,
        element.stored().length,
        -1,
        InspectedValue.Kind.HEX,
        "",
        false,
        "The elements before it are as large together as maxOriginalBytes="
            + limits.maxOriginalBytes());
  }

  private void pairs(List<?> reply, List<Element> target) {
    namedBySuccession("", (List<?>) reply.get(1), target);
  }

  private void namedBySuccession(String before, List<?> list, List<Element> target) {
    for (int i = 0; i + 1 < list.size(); i += 2) {
      target.add(new Element(before + name(bytes(list.get(i))), bytes(list.get(i + 1))));
    }
  }

  private void list(List<?> reply, List<Element> target) {
    for (int i = 0; i < reply.size(); i++) {
      target.add(new Element(Integer.toString(i), bytes(reply.get(i))));
    }
  }

  private void members(List<?> reply, List<Element> target) {
    for (Object member : (List<?>) reply.get(1)) {
      target.add(new Element(null, bytes(member)));
    }
  }

  private void scored(List<?> reply, List<Element> target) {
    for (int i = 0; i < reply.size(); i++) {
      if (reply.get(i) instanceof List<?> pair) {
        target.add(new Element(text(pair.get(1)), bytes(pair.get(0))));
      } else if (i + 1 < reply.size()) {
        target.add(new Element(text(reply.get(i + 1)), bytes(reply.get(i))));
        i++;
      }
    }
  }

  private void entries(List<?> reply, List<Element> target) {
    for (Object entry : reply) {
      List<?> parts = (List<?>) entry;
      namedBySuccession(text(parts.get(0)) + " ", (List<?>) parts.get(1), target);
    }
  }

  private InspectedValue shown(@Nullable String name, byte[] stored) {
    Recognizer.Recognized recognized = recognizer.recognize(stored);
    byte[] original = recognized.original();
    Preview preview = preview(original == null ? new byte[0] : original, true);
    return new InspectedValue(
        name,
        recognized.form(),
        recognized.algorithm(),
        stored.length,
        recognized.originalBytes(),
        preview.kind(),
        preview.text(),
        original != null && original.length <= limits.previewBytes(),
        recognized.problem());
  }

  private record Preview(InspectedValue.Kind kind, String text) {}

  private Preview preview(byte[] value, boolean whole) {
    byte[] text = Recognizer.cutText(value, limits.previewBytes());
    if (Recognizer.isText(text)) {
      return new Preview(
          whole && looksLikeJson(value) ? InspectedValue.Kind.JSON : InspectedValue.Kind.TEXT,
          new String(text, StandardCharsets.UTF_8));
    }
    int end = Math.min(value.length, limits.previewBytes());
    return new Preview(InspectedValue.Kind.HEX, HexFormat.of().formatHex(value, 0, end));
  }

  private static boolean looksLikeJson(byte[] text) {
    int start = 0;
    int end = text.length;
    while (start < end && text[start] <= ' ') {
      start++;
    }
    while (end > start && text[end - 1] <= ' ') {
      end--;
    }
    return end - start >= 2
        && ((text[start] == '{' && text[end - 1] == '}')
            || (text[start] == '[' && text[end - 1] == ']'));
  }

  private String name(byte[] bytes) {
    return preview(bytes, false).text();
  }

  private static byte[] bytes(@Nullable Object value) {
    return value instanceof byte[] bytes
        ? bytes
        : String.valueOf(value).getBytes(StandardCharsets.UTF_8);
  }

  private static String text(@Nullable Object value) {
    return value instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : String.valueOf(value);
  }

  private static long number(@Nullable Object value) {
    return value instanceof Long number ? number : -1;
  }
}
