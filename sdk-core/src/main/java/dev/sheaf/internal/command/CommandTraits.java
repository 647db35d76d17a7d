// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a command that matter to Sheaf: one row of the table in {@code commands.txt}.
 *
 * <p>Looking up a command of Lettuce's allocates nothing.
 */
public final class CommandTraits {

  private static final String TABLE = "commands.txt";

  private static final CommandTraits[] NO_SUBCOMMANDS = {};

  /** In the order of the table. */
  private static final Map<String, CommandTraits> BY_NAME = read();

  /** The row for commands that are not in the table. */
  private static final CommandTraits UNKNOWN =
      new CommandTraits("?", Kind.WRITE, List.of("w?"), List.of());

  private static final CommandTraits[] BY_TYPE = byType();

  /** Rows by name without separators, so that clientId finds CLIENT|ID. */
  private static final Map<String, CommandTraits> BY_LETTERS = byLetters();

  private enum Kind {
    READ,
    WRITE,
    ACT
  }

  private final String name;
  private final Kind kind;
  private final KeyPlace[] keys;
  private final boolean firstArgumentOnly;
  private final boolean readsAny;
  private final boolean writesUnnamed;
  private final boolean writesAny;
  private final boolean repeatable;
  private final boolean ofConnection;
  private final boolean changesState;
  private final boolean ofAnyConnection;
  private final boolean forCopies;
  private final boolean blocking;
  private final boolean alone;
  private final boolean ofTransaction;
  private final boolean unshared;
  private final boolean script;
  private final boolean cursor;
  private final boolean claims;
  private final @Nullable CommandType fused;

  /** The values after equals signs, by the words before them. */
  private final Map<String, String> settings;

  /** The rows of the subcommands. */
  private CommandTraits[] subcommands = NO_SUBCOMMANDS;

  private CommandTraits(String name, Kind kind, List<String> keys, List<String> traits) {
    this.name = name;
    this.kind = kind;
    this.readsAny = keys.contains("r?") || keys.contains("r*");
    this.writesUnnamed = keys.contains("w?");
    this.writesAny = keys.contains("w*");
    this.keys =
        keys.stream()
            .filter(text -> !text.endsWith("?") && !text.endsWith("*"))
            .map(KeyPlace::parse)
            .toArray(KeyPlace[]::new);
    this.firstArgumentOnly =
        keys.size() == 1 && this.keys.length == 1 && this.keys[0].isFirstArgument();
    this.repeatable = kind == Kind.READ || traits.contains("again");
    this.ofConnection = traits.contains("connection");
    this.changesState = traits.contains("state");
    this.blocking = traits.contains("blocking");
    this.alone = traits.contains("alone");
    this.ofTransaction = traits.contains("transaction");
    this.unshared = traits.contains("unshared");
    this.script = traits.contains("script");
    this.cursor = traits.contains("cursor");
    this.claims = traits.contains("claims");
    this.forCopies = name.equals("WAIT") || name.equals("WAITAOF");
    this.ofAnyConnection =
        !ofConnection
            && !changesState
            && !alone
            && !ofTransaction
            && !unshared
            && (repeatable || (kind == Kind.WRITE && !blocking));

    this.settings =
        traits.stream()
            .map(trait -> trait.split("="))
            .filter(setting -> setting.length == 2)
            .collect(Collectors.toMap(setting -> setting[0], setting -> setting[1]));
    this.fused = settings.containsKey("fused") ? CommandType.valueOf(settings.get("fused")) : null;
  }

  private static Map<String, CommandTraits> read() {
    Map<String, CommandTraits> rows = new LinkedHashMap<>();
    try (InputStream table = CommandTraits.class.getResourceAsStream(TABLE)) {
      if (table == null) {
        throw new IllegalStateException(TABLE + " is missing beside " + CommandTraits.class);
      }
      BufferedReader reader =
          new BufferedReader(new InputStreamReader(table, StandardCharsets.UTF_8));
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.isBlank() && !line.startsWith("#")) {
          CommandTraits row = parse(line);
          if (rows.put(row.name, row) != null) {
            throw new IllegalStateException(row.name + " is twice in " + TABLE);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + TABLE, e);
    }
    for (CommandTraits row : rows.values()) {
      row.subcommands =
          rows.values().stream()
              .filter(other -> other.name.startsWith(row.name + "|"))
              .toArray(CommandTraits[]::new);
    }
    return Collections.unmodifiableMap(rows);
  }

  private static CommandTraits parse(String line) {
    String[] words = line.trim().split(" +", -1);
    List<String> keys = new ArrayList<>();
    List<String> traits = new ArrayList<>();
    for (int i = 2; i < words.length; i++) {
      (words[i].matches("[rw][^a-z].*") ? keys : traits).add(words[i]);
    }
    return new CommandTraits(
        words[0], Kind.valueOf(words[1].toUpperCase(Locale.ROOT)), keys, traits);
  }

  @SuppressWarnings("EnumOrdinal") // A table by ordinal: every command looks here.
  private static CommandTraits[] byType() {
    CommandType[] types = CommandType.values();
    CommandTraits[] rows = new CommandTraits[types.length];
    for (CommandType type : types) {
      rows[type.ordinal()] = named(type.toString());
    }
    return rows;
  }

  private static Map<String, CommandTraits> byLetters() {
    Map<String, CommandTraits> rows = new HashMap<>();
    BY_NAME.values().forEach(row -> rows.put(row.name.replaceAll("[^A-Z0-9]", ""), row));
    return rows;
  }

  /** The row of a command, which may be a container of subcommands. */
  @SuppressWarnings("EnumOrdinal") // As above.
  public static CommandTraits of(ProtocolKeyword type) {
    return type instanceof CommandType known
        ? BY_TYPE[known.ordinal()]
        : named(new String(type.getBytes(), StandardCharsets.US_ASCII));
  }

  /** The row of a command, or of the subcommand in its encoded request. */
  public static CommandTraits of(ProtocolKeyword type, byte[] request) {
    CommandTraits row = of(type);
    return row.subcommands.length == 0 ? row : row.subcommandIn(new RespRequest(request));
  }

  /** The row of a command by its name in any case, or of a subcommand as {@code CLIENT|ID}. */
  public static CommandTraits named(String name) {
    return BY_NAME.getOrDefault(name.toUpperCase(Locale.ROOT), UNKNOWN);
  }

  /**
   * The row of the command that a method of Lettuce's sends: the longest name that is a prefix of
   * the method's, so that {@code hscanNovalues} is HSCAN.
   */
  public static CommandTraits ofMethod(String method) {
    String letters = method.toUpperCase(Locale.ROOT);
    for (int length = letters.length(); length > 0; length--) {
      CommandTraits row = BY_LETTERS.get(letters.substring(0, length));
      if (row != null) {
        return row;
      }
    }
    return UNKNOWN;
  }

  /** All rows, in the order of the table. */
  public static Collection<CommandTraits> all() {
    return BY_NAME.values();
  }

  private CommandTraits subcommandIn(RespRequest request) {
    for (CommandTraits row : subcommands) {
      if (request.is(1, row.name.substring(name.length() + 1))) {
        return row;
      }
    }
    return this;
  }

  /** The name in upper case; of a subcommand with its container, as {@code CLIENT|ID}. */
  public String name() {
    return name;
  }

  /** Whether it is in the table. */
  public boolean isKnown() {
    return this != UNKNOWN;
  }

  /** Whether it is read-only. */
  public boolean isRead() {
    return kind == Kind.READ;
  }

  /**
   * Whether it can be sent again after its reply was lost with the connection: running it twice
   * leaves the same state as running it once.
   */
  public boolean isRepeatable() {
    return repeatable;
  }

  /** Whether it belongs to one connection: it changes later replies there, or asks about it. */
  public boolean isOfConnection() {
    return ofConnection;
  }

  /** Whether another connection to the same server would answer later commands differently. */
  public boolean changesState() {
    return changesState;
  }

  /**
   * Whether any connection to its server may carry it: neither its effect nor its reply depends on
   * the connection.
   */
  public boolean isOfAnyConnection() {
    return ofAnyConnection && isKnown();
  }

  /** Whether it asks whether replicas, or the disk, have the writes of its own connection. */
  public boolean waitsForCopies() {
    return forCopies;
  }

  /** Whether it can block on the server, and with it later commands on its connection. */
  public boolean isBlocking() {
    return blocking;
  }

  /** Whether Lettuce must see the command itself, because it acts on its type. */
  public boolean isAlone() {
    return alone;
  }

  /** Whether it is the command with this name. */
  public boolean is(CommandType type) {
    return name.equals(type.name());
  }

  /** Whether it begins, ends or guards a transaction. */
  public boolean isOfTransaction() {
    return ofTransaction;
  }

  /**
   * Whether later replies on its connection may no longer be told apart, so that it needs a
   * connection that nobody else uses.
   */
  public boolean isUnshared() {
    return unshared;
  }

  /** Whether it calls a script or function that must have been loaded. */
  public boolean callsScript() {
    return script;
  }

  /** Whether each call needs the reply to the one before, so that a loop is the right way. */
  public boolean isCursor() {
    return cursor;
  }

  /** Whether its reply may give its caller a lock or the like. */
  public boolean mayClaim() {
    return claims;
  }

  /** The command that several of it, differing in the last argument, are fused to; null if none. */
  public @Nullable CommandType fused() {
    return fused;
  }

  /** How many arguments it has where it can be fused; 0 if it cannot. */
  int fusedArguments() {
    return fused == null ? 0 : fused == CommandType.MGET ? 1 : 2;
  }

  /** Whether any key may answer differently after it. */
  public boolean writesAny() {
    return writesAny;
  }

  /** Whether it may write keys that are not arguments of its request. */
  public boolean writesUnnamed() {
    return writesUnnamed;
  }

  /** Whether it may read keys that are not arguments of its request. */
  public boolean readsUnnamed() {
    return readsAny;
  }

  /** Whether its first argument is its only key. */
  public boolean isOfFirstArgument() {
    return firstArgumentOnly;
  }

  /** Whether it changes no key. */
  public boolean writesNothing() {
    if (writesAny || writesUnnamed) {
      return false;
    }
    for (KeyPlace place : keys) {
      if (place.isWritten()) {
        return false;
      }
    }
    return true;
  }

  /** The value after a word and an equals sign in the row, or the given default. */
  public String setting(String word, String otherwise) {
    return settings.getOrDefault(word, otherwise);
  }

  /** Runs an action for each key in a request of this command. */
  public void forEachKey(RespRequest request, RespRequest.KeyVisitor visitor) {
    for (KeyPlace place : keys) {
      place.forEach(request, visitor);
    }
  }

  /**
   * Runs an action, with the framed range in the request, for each key that this command may write;
   * for every argument if it may write keys that are not arguments.
   */
  public void forEachWrittenKey(byte[] request, RespRequest.ArgumentVisitor visitor) {
    if (writesUnnamed) {
      RespRequest.forEachArgument(request, visitor);
    } else if (!writesNothing()) {
      RespRequest parsed = new RespRequest(request);
      forEachKey(
          parsed,
          (index, written) -> {
            if (written) {
              visitor.visit(parsed.frameStart(index), parsed.frameEnd(index));
            }
          });
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
