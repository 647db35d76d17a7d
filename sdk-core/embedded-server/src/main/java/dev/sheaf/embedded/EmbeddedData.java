// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.command.DirectCalls;
import dev.sheaf.embedded.internal.data.Check;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The data, seen and changed without a client: in a cluster each key on the master of its slot.
 * Texts are UTF-8. What it changes reaches replicas, watchers and blocked clients as a command
 * would. Safe for use by many threads; each method waits for the command thread, at most {@link
 * EmbeddedServer#CALL_TIMEOUT}. A key of another type than asked gives {@link
 * IllegalStateException} with the server's error.
 */
public final class EmbeddedData {
  private final Topology topology;
  private final int database;

  EmbeddedData(Topology topology, int database) {
    this.topology = topology;
    this.database = database;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(Object bytes) {
    return new String((byte[]) bytes, StandardCharsets.UTF_8);
  }

  private @Nullable Object on(String key, String... words) {
    return on(bytes(key), Arrays.stream(words).map(EmbeddedData::bytes).toList());
  }

  private @Nullable Object on(byte[] key, List<byte[]> args) {
    return topology.call(() -> DirectCalls.run(topology.ownerOf(key), database, args));
  }

  private static List<String> texts(@Nullable Object reply) {
    List<String> texts = new ArrayList<>();
    if (reply instanceof List<?> items) {
      items.forEach(item -> texts.add(item == null ? "" : text(item)));
    }
    return texts;
  }

  private static Optional<String> optional(@Nullable Object reply) {
    return Optional.ofNullable(reply).map(EmbeddedData::text);
  }

  private static long number(@Nullable Object reply) {
    return reply instanceof Long n ? n : 0;
  }

  /** The string at the key. */
  public Optional<String> get(String key) {
    return optional(on(key, "GET", key));
  }

  /** The bytes of the string at the key; a copy. */
  public Optional<byte[]> getBytes(String key) {
    Object reply = on(key, "GET", key);
    return Optional.ofNullable(reply).map(value -> ((byte[]) value).clone());
  }

  /** Stores a string, ending a time to live. */
  public void set(String key, String value) {
    on(key, "SET", key, value);
  }

  /** As {@link #set(String, String)}. */
  public void set(String key, byte[] value) {
    on(bytes(key), List.of(bytes("SET"), bytes(key), value.clone()));
  }

  /** Stores a string that goes away after so long, by the server's clock. */
  public void set(String key, String value, Duration timeToLive) {
    on(key, "SET", key, value, "PX", Long.toString(timeToLive.toMillis()));
  }

  /** The fields of a hash; empty where there is none. */
  public Map<String, String> hash(String key) {
    List<String> flat = texts(on(key, "HGETALL", key));
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < flat.size(); i += 2) {
      fields.put(flat.get(i), flat.get(i + 1));
    }
    return fields;
  }

  /** Sets a field of a hash. */
  public void hashSet(String key, String field, String value) {
    on(key, "HSET", key, field, value);
  }

  /** The elements of a list. */
  public List<String> list(String key) {
    return texts(on(key, "LRANGE", key, "0", "-1"));
  }

  /** Appends to a list. */
  public void listPush(String key, String... elements) {
    on(key, words("RPUSH", key, elements));
  }

  /** The members of a set. */
  public Set<String> set(String key) {
    return new LinkedHashSet<>(texts(on(key, "SMEMBERS", key)));
  }

  /** Adds to a set. */
  public void setAdd(String key, String... members) {
    on(key, words("SADD", key, members));
  }

  /** The members of a sorted set with their scores, the lowest first. */
  public Map<String, Double> sortedSet(String key) {
    List<String> flat = texts(on(key, "ZRANGE", key, "0", "-1", "WITHSCORES"));
    Map<String, Double> members = new LinkedHashMap<>();
    for (int i = 0; i < flat.size(); i += 2) {
      String score = flat.get(i + 1).replace("inf", "Infinity");
      members.put(flat.get(i), Double.valueOf(score));
    }
    return members;
  }

  /** Adds to a sorted set. */
  public void sortedSetAdd(String key, double score, String member) {
    String text = Double.isInfinite(score) ? score > 0 ? "inf" : "-inf" : Double.toString(score);
    on(key, "ZADD", key, text, member);
  }

  private static String[] words(String command, String key, String[] rest) {
    List<String> words = new ArrayList<>(List.of(command, key));
    words.addAll(List.of(rest));
    return words.toArray(new String[0]);
  }

  /** As TYPE: {@code none} where there is no such key. */
  public String type(String key) {
    return String.valueOf(on(key, "TYPE", key));
  }

  public boolean exists(String key) {
    return number(on(key, "EXISTS", key)) == 1;
  }

  /** Removes the key; false if it was not there. */
  public boolean delete(String key) {
    return number(on(key, "DEL", key)) == 1;
  }

  /** What is left of the time to live; empty for a key without one, or no key. */
  public Optional<Duration> timeToLive(String key) {
    long millis = number(on(key, "PTTL", key));
    return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
  }

  /** Sets the time to live; false if there is no such key. */
  public boolean expire(String key, Duration timeToLive) {
    return number(on(key, "PEXPIRE", key, Long.toString(timeToLive.toMillis()))) == 1;
  }

  /** All keys of all masters, sorted. */
  public Set<String> keys() {
    Set<String> keys = new TreeSet<>();
    onMasters("KEYS", "*").forEach(reply -> keys.addAll(texts(reply)));
    return keys;
  }

  /** Removes all keys of this database, on all masters. */
  public void flush() {
    onMasters("FLUSHDB");
  }

  private List<@Nullable Object> onMasters(String... words) {
    List<byte[]> args = Arrays.stream(words).map(EmbeddedData::bytes).toList();
    List<@Nullable Object> replies = new ArrayList<>();
    for (EmbeddedNode node : topology.wrappers()) {
      if (node.isMaster()) {
        replies.add(topology.call(() -> DirectCalls.run(node.node(), database, args)));
      }
    }
    return replies;
  }

  /**
   * Runs any command that has a key, on the master of that key's slot.
   *
   * @return a Long, a String for a status, {@code byte[]}, a List, or null
   * @throws IllegalStateException with the server's error
   * @throws IllegalArgumentException if there are no words
   */
  public @Nullable Object command(String key, String... words) {
    Check.argument(words.length == 0, "a command has at least its name");
    return on(key, words);
  }
}
