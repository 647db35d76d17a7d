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
 * Direct access to the data without a client; in a cluster, to each key on the master of its slot.
 * Strings are UTF-8. Changes reach replicas, watchers and blocked clients as those of commands do.
 * Thread-safe. Each method waits for the command thread, at most {@link
 * EmbeddedServer#CALL_TIMEOUT}. A key of the wrong type causes an {@link IllegalStateException}
 * with the server's error.
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

  /** Returns the string at a key. */
  public Optional<String> get(String key) {
    return optional(on(key, "GET", key));
  }

  /** Returns a copy of the bytes of the string at a key. */
  public Optional<byte[]> getBytes(String key) {
    Object reply = on(key, "GET", key);
    return Optional.ofNullable(reply).map(value -> ((byte[]) value).clone());
  }

  /** Stores a string without a time to live. */
  public void set(String key, String value) {
    on(key, "SET", key, value);
  }

  /** As {@link #set(String, String)}. */
  public void set(String key, byte[] value) {
    on(bytes(key), List.of(bytes("SET"), bytes(key), value.clone()));
  }

  /** Stores a string with a time to live, by the server's clock. */
  public void set(String key, String value, Duration timeToLive) {
    on(key, "SET", key, value, "PX", Long.toString(timeToLive.toMillis()));
  }

  /** Returns the fields of a hash; empty if it does not exist. */
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

  /** Returns the elements of a list. */
  public List<String> list(String key) {
    return texts(on(key, "LRANGE", key, "0", "-1"));
  }

  /** Appends to a list. */
  public void listPush(String key, String... elements) {
    on(key, words("RPUSH", key, elements));
  }

  /** Returns the members of a set. */
  public Set<String> set(String key) {
    return new LinkedHashSet<>(texts(on(key, "SMEMBERS", key)));
  }

  /** Adds to a set. */
  public void setAdd(String key, String... members) {
    on(key, words("SADD", key, members));
  }

  /** Returns the members of a sorted set with their scores, the lowest first. */
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

  /** Returns the type of a key, as TYPE: {@code none} if it does not exist. */
  public String type(String key) {
    return String.valueOf(on(key, "TYPE", key));
  }

  public boolean exists(String key) {
    return number(on(key, "EXISTS", key)) == 1;
  }

  /** Removes a key. Returns false if it did not exist. */
  public boolean delete(String key) {
    return number(on(key, "DEL", key)) == 1;
  }

  /** Returns the remaining time to live; empty without one, or without the key. */
  public Optional<Duration> timeToLive(String key) {
    long millis = number(on(key, "PTTL", key));
    return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
  }

  /** Sets the time to live. Returns false if the key does not exist. */
  public boolean expire(String key, Duration timeToLive) {
    return number(on(key, "PEXPIRE", key, Long.toString(timeToLive.toMillis()))) == 1;
  }

  /** Returns all keys of all masters, sorted. */
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
   * Runs any command with a key, on the master of that key's slot.
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
