// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.data.HashValue;
import dev.sheaf.embedded.internal.data.ListValue;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.SetValue;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import dev.sheaf.embedded.internal.data.StreamValue;
import dev.sheaf.embedded.internal.data.StringValue;
import dev.sheaf.embedded.internal.data.Value;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One execution of a command: its arguments, its data, and its reply. */
public final class Call {
  public final ServerNode node;
  public final Client client;
  public final Command command;
  public final byte[][] args;
  public final Reply out;

  /** False in transactions, in scripts and on replicas, where a blocking command does not wait. */
  public final boolean mayBlock;

  private byte @Nullable [][] effect;
  private boolean effectSet;

  /** Returns whether a script runs it. */
  boolean inScript;

  private byte @Nullable [] emptied;

  Call(
      ServerNode node, Client client, Command command, byte[][] args, Reply out, boolean mayBlock) {
    this.node = node;
    this.client = client;
    this.command = command;
    this.args = args;
    this.out = out;
    this.mayBlock = mayBlock;
  }

  static Call ofScript(ServerNode node, Client session, Command command, byte[][] args, Reply out) {
    Call call = new Call(node, session, command, args, out, false);
    call.inScript = true;
    return call;
  }

  public Database db() {
    return node.db(client.dbIndex);
  }

  /** Returns milliseconds since the epoch, constant during the command. */
  public long now() {
    return node.nodes.now();
  }

  public int count() {
    return args.length;
  }

  public byte[] arg(int i) {
    return args[i];
  }

  public boolean is(int i, String upper) {
    return Bytes.is(args[i], upper);
  }

  public String text(int i) {
    return Bytes.text(args[i]);
  }

  /** Returns the name of an option, in upper case. */
  String option(int i) {
    return text(i).toUpperCase(Locale.ROOT);
  }

  /**
   * Returns whether the option is the first of two, in upper case; throws a syntax error if
   * neither.
   */
  boolean either(int i, String first, String second) {
    boolean is = is(i, first);
    Errors.syntaxIf(!is && !is(i, second));
    return is;
  }

  /** Returns the constant with this name, in any case; otherwise throws the error. */
  <E extends Enum<E>> E constant(int i, E[] all, String error) {
    for (E known : all) {
      if (is(i, known.name())) {
        return known;
      }
    }
    throw Errors.of(error);
  }

  /** Returns the arguments from an index on. */
  List<byte[]> from(int i) {
    return Arrays.asList(args).subList(i, count());
  }

  /** Returns how many arguments from an index on match; each is tested. */
  int howMany(int from, Predicate<byte[]> holds) {
    int found = 0;
    for (int i = from; i < count(); i++) {
      found += holds.test(arg(i)) ? 1 : 0;
    }
    return found;
  }

  /** Returns the index after an option; throws a syntax error if it has no value. */
  int next(int option) {
    Errors.syntaxIf(option + 1 >= count());
    return option + 1;
  }

  /** Returns the argument as a C string, as in error texts of Redis: up to a NUL. */
  String textOfC(int i) {
    return Bytes.untilNul(args[i]);
  }

  public long longArg(int i) {
    return longArg(i, Errors.NOT_INTEGER);
  }

  long longArg(int i, String error) {
    return Errors.found(Numbers.parseLong(args[i]), error);
  }

  /** Parses a number from {@code min} to {@code max}; otherwise throws the error. */
  long longArg(int i, long min, long max, String error) {
    long value = longArg(i, error);
    Errors.refuseIf(value < min || value > max, error);
    return value;
  }

  /** Parses the number of a database; throws the error if malformed. */
  int dbIndex(int i, String error) {
    long index = longArg(i, Integer.MIN_VALUE, Integer.MAX_VALUE, error);
    Errors.refuseIf(index < 0 || index >= ServerNode.DATABASES, "ERR DB index is out of range");
    return (int) index;
  }

  public double doubleArg(int i) {
    return Errors.found(Numbers.parseDouble(args[i]), Errors.NOT_FLOAT);
  }

  /** Parses a count, which must not be negative. */
  public long positive(int i) {
    return longArg(i, 0, Long.MAX_VALUE, "ERR value is out of range, must be positive");
  }

  public @Nullable Value value(byte[] key) {
    return db().get(key);
  }

  public @Nullable StringValue string(byte[] key) {
    return typed(StringValue.class, key);
  }

  private <T extends Value> @Nullable T typed(Class<T> type, byte[] key) {
    Value value = db().get(key);
    if (value == null) {
      return null;
    }
    if (!type.isInstance(value)) {
      throw Errors.wrongType();
    }
    return type.cast(value);
  }

  public @Nullable HashValue hash(byte[] key) {
    return typed(HashValue.class, key);
  }

  public @Nullable ListValue list(byte[] key) {
    return typed(ListValue.class, key);
  }

  public @Nullable SetValue setValue(byte[] key) {
    return typed(SetValue.class, key);
  }

  public @Nullable SortedSetValue sortedSet(byte[] key) {
    return typed(SortedSetValue.class, key);
  }

  public @Nullable StreamValue stream(byte[] key) {
    return typed(StreamValue.class, key);
  }

  /** For reading: a missing key is an empty list, as in Redis. */
  ListValue listOrEmpty(byte[] key) {
    return Objects.requireNonNullElseGet(list(key), ListValue::new);
  }

  /** As {@link #listOrEmpty}. */
  HashValue hashOrEmpty(byte[] key) {
    return Objects.requireNonNullElseGet(hash(key), HashValue::new);
  }

  /** As {@link #listOrEmpty}. */
  SetValue setOrEmpty(byte[] key) {
    return Objects.requireNonNullElseGet(setValue(key), SetValue::new);
  }

  /** As {@link #listOrEmpty}. */
  SortedSetValue sortedSetOrEmpty(byte[] key) {
    return Objects.requireNonNullElseGet(sortedSet(key), SortedSetValue::new);
  }

  /** Returns the value of the key; stores a new one if it is missing. */
  <T extends Value> T orNew(byte[] key, @Nullable T known, Supplier<T> fresh) {
    if (known != null) {
      return known;
    }
    T added = fresh.get();
    db().put(key, added);
    return added;
  }

  /**
   * Stores a result with this many elements, or removes the key if there are none. Replies the
   * count.
   */
  void storeOrDelete(byte[] key, Value result, int size) {
    if (size == 0) {
      delete(key);
    } else {
      store(key, result);
    }
    out.integer(size);
  }

  /** Removes each argument from {@code at} on from a collection. Replies how many existed. */
  void removeEach(int at, Predicate<byte[]> remove, IntSupplier size) {
    int removed = howMany(at, remove);
    if (removed > 0) {
      deleteIfEmpty(arg(1), size.getAsInt());
      changed(arg(1));
    }
    out.integer(removed);
  }

  /** Stores a value under the key without a time to live. */
  public void store(byte[] key, Value value) {
    db().put(key, value);
    changed(key);
  }

  /** Marks the key as changed: notifies watchers, and replicates the command. */
  public void changed(byte[] key) {
    changed(key, null);
  }

  /** As {@link #changed(byte[])}, with {@code event} as keyspace event; null for the default. */
  public void changed(byte[] key, @Nullable String event) {
    db().changed(key);
    node.dirtied();
    if (node.announcesEvents()) {
      announce(event == null ? command.event() : event, key);
    }
  }

  private void announce(String event, byte[] key) {
    notifyOf(event, key);
    if (emptied == key) {
      emptied = null;
      notifyGeneric("del", key);
    }
  }

  /**
   * Records a change of a stream's groups, which WATCH and client-side caching ignore. Clients that
   * wait for the stream check it again.
   */
  void groupsChanged(byte[] key) {
    node.recheckBlocked(db(), key);
    node.dirtied();
    notifyOf(command.event(), key);
  }

  /** Publishes another keyspace event of this command's class, without another change. */
  void notifyOf(String event, byte[] key) {
    node.announce(command.group().eventClass, event, client.dbIndex, key);
  }

  /** As {@link #notifyOf}, for events without a type. */
  void notifyGeneric(String event, byte[] key) {
    node.announce('g', event, client.dbIndex, key);
  }

  /** Removes the key if it exists. */
  public boolean delete(byte[] key) {
    if (db().peek(key) == null) {
      return false;
    }
    db().remove(key);
    db().changed(key);
    node.dirtied();
    notifyGeneric("del", key);
    return true;
  }

  /** Removes the key of a collection that becomes empty. Called before the change. */
  public void deleteIfEmpty(byte[] key, int size) {
    if (size == 0) {
      db().remove(key);
      emptied = key;
    }
  }

  /** Sets the command for replicas, if this one would not result in the same data. */
  public void effect(byte[]... replacement) {
    effect = replacement;
    effectSet = true;
  }

  /** Replicates nothing: the replicas have been updated otherwise. */
  void noEffect() {
    effect = null;
    effectSet = true;
  }

  /** Returns the command for replicas; null for none. */
  byte @Nullable [][] effect() {
    return effectSet ? effect : args;
  }
}
