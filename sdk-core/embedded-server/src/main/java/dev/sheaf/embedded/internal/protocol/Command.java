// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A row of the command table: all properties of a command except its handler. */
public final class Command {
  /** The arity of a command that runs by its subcommands only. */
  private static final int CONTAINER_ARITY = -2;

  /** Its index among the commands of all servers, for counters. */
  public final int id;

  private final CommandRow row;
  public final CommandKeys keys;
  private final boolean write;

  /** Subcommands by their own name in lower case; empty for a plain command. */
  public final Map<String, Command> subcommands = new LinkedHashMap<>();

  Command(int id, CommandRow row) {
    this.id = id;
    this.row = row;
    this.keys = new CommandKeys(List.copyOf(row.keys));
    this.write = row.flags.contains(Flag.WRITE);
  }

  /** Returns the name in lower case; a subcommand as {@code client|setname}. */
  public String name() {
    return row.name;
  }

  /** Returns the number of words, name included; if negative, the minimum. */
  public int arity() {
    return row.arity;
  }

  public boolean accepts(int arguments) {
    return row.arity >= 0 ? arguments == row.arity : arguments >= -row.arity;
  }

  public boolean is(Flag flag) {
    return row.flags.contains(flag);
  }

  public boolean isWrite() {
    return write;
  }

  public Set<Flag> flags() {
    return row.flags;
  }

  /** Returns its ACL categories, without the leading {@code @}. */
  public Set<String> categories() {
    return row.categories;
  }

  /**
   * Returns its access to one of its keys.
   *
   * @param place a position from {@link CommandKeys#find}
   */
  public KeyAccess access(int place, byte[][] args) {
    return keys.access(place).given(row.name, args);
  }

  /** Returns the name of its keyspace event. */
  public String event() {
    return row.event;
  }

  /** Returns hints for proxies and clusters, as in COMMAND INFO. */
  public List<String> tips() {
    return row.tips;
  }

  public Group group() {
    return row.group;
  }

  public String since() {
    return row.since;
  }

  public String summary() {
    return row.summary;
  }

  /** Returns whether it exists only as subcommands. */
  public boolean isContainer() {
    return !subcommands.isEmpty() && row.arity == CONTAINER_ARITY;
  }

  public @Nullable Command subcommand(String lowerName) {
    return subcommands.get(lowerName);
  }
}
