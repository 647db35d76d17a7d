// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.CommandRecorder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log of the commands that ran on all nodes, in order, for assertions. It records from {@link
 * #start} to {@link #stop}. Thread-safe.
 */
public final class CommandLog {
  /** The most commands in the log; the oldest are dropped. */
  public static final int MAX_ENTRIES = 100_000;

  private static final int SHOWN = 20;

  /**
   * One command that ran.
   *
   * @param port the port of its node
   * @param clientId the connection, as in CLIENT ID
   * @param database the number of its database
   * @param name in lower case, subcommands as {@code client|setname}
   * @param words the command as sent, name included, read as UTF-8
   * @param inScript whether a script ran it
   */
  public record Entry(
      int port, long clientId, int database, String name, List<String> words, boolean inScript) {
    /** Returns the words separated by spaces. */
    @Override
    public String toString() {
      return String.join(" ", words);
    }
  }

  private final Consumer<@Nullable CommandRecorder> recording;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private final CommandRecorder recorder = this::record;

  CommandLog(Consumer<@Nullable CommandRecorder> recording) {
    this.recording = recording;
  }

  private void record(int port, Client client, String name, byte[][] args, boolean inScript) {
    List<String> words =
        Arrays.stream(args).map(arg -> new String(arg, StandardCharsets.UTF_8)).toList();
    Entry entry = new Entry(port, client.id, client.dbIndex, name, words, inScript);
    synchronized (entries) {
      if (entries.size() == MAX_ENTRIES) {
        entries.removeFirst();
      }
      entries.add(entry);
    }
  }

  /** Starts recording, with an empty log. */
  public CommandLog start() {
    clear();
    recording.accept(recorder);
    return this;
  }

  /** Stops recording; the log is kept. */
  public void stop() {
    recording.accept(null);
  }

  /** Clears the log. */
  public void clear() {
    synchronized (entries) {
      entries.clear();
    }
  }

  /** Returns a copy, oldest command first. */
  public List<Entry> entries() {
    synchronized (entries) {
      return new ArrayList<>(entries);
    }
  }

  /** Returns how often the command ran. */
  public long count(String command) {
    String name = command.toLowerCase(Locale.ROOT);
    return entries().stream().filter(entry -> entry.name().equals(name)).count();
  }

  /**
   * Fails unless the command ran.
   *
   * @param words the whole command; its name is case-insensitive
   * @throws AssertionError if the command did not run; the message lists those that did
   * @throws IllegalArgumentException if there are no words
   */
  public void assertRan(String... words) {
    if (words.length == 0) {
      throw new IllegalArgumentException(
          "assertRan needs the words of a command, such as \"GET\", \"key\"");
    }
    List<String> wanted = Arrays.asList(words);
    if (entries().stream().noneMatch(entry -> is(entry.words(), wanted))) {
      throw new AssertionError("'" + String.join(" ", words) + "' did not run, but" + shown());
    }
  }

  private static boolean is(List<String> command, List<String> wanted) {
    return command.get(0).equalsIgnoreCase(wanted.get(0))
        && command.subList(1, command.size()).equals(wanted.subList(1, wanted.size()));
  }

  /**
   * Fails if the command ran.
   *
   * @throws AssertionError if the command ran
   */
  public void assertNeverRan(String command) {
    if (count(command) > 0) {
      throw new AssertionError(command + " ran " + count(command) + " times:" + shown());
    }
  }

  /**
   * Fails unless the command ran this often.
   *
   * @throws AssertionError if the command ran more or less often
   */
  public void assertCount(String command, long times) {
    if (count(command) != times) {
      throw new AssertionError(
          command + " ran " + count(command) + " times instead of " + times + ":" + shown());
    }
  }

  private String shown() {
    List<Entry> all = entries();
    StringBuilder text = new StringBuilder();
    int from = Math.max(0, all.size() - SHOWN);
    if (from > 0) {
      text.append("\n  … ").append(from).append(" before");
    }
    all.subList(from, all.size()).forEach(entry -> text.append("\n  ").append(entry));
    return text.isEmpty() ? " nothing ran" : text.toString();
  }

  @Override
  public String toString() {
    return "CommandLog[" + entries().size() + " commands]";
  }
}
