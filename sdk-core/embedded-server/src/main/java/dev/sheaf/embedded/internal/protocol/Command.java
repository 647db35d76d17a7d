// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One row of the command table: what is known of a command besides what it does. */
public final class Command {
  /** The arity of a command that runs by its subcommands only. */
  private static final int CONTAINER_ARITY = -2;

  /** Its place among the commands of all servers, for counters. */
  public final int id;

  private final CommandRow row;
  public final CommandKeys keys;
  private final boolean write;

  /** By their own name in lower case; empty for a plain command. */
  public final Map<String, Command> subcommands = new LinkedHashMap<>();

  Command(int id, CommandRow row) {
    this.id = id;
    this.row = row;
    this.keys = new CommandKeys(List.copyOf(row.keys));
    this.write = row.flags.contains(Flag.WRITE);
  }

  /** In lower case; a subcommand as {@code client|setname}. */
  public String name() {
    return row.name;
  }

  /** The number of arguments with the name; negative: at least as many. */
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

  /** The categories of permissions it belongs to, without the leading {@code @}. */
  public Set<String> categories() {
    return row.categories;
  }

  /**
   * What it does to one of its keys.
   *
   * @param place a position that {@link CommandKeys#find} has given
   */
  public KeyAccess access(int place, byte[][] args) {
    return keys.access(place).given(row.name, args);
  }

  /** What keyspace events call its effect. */
  public String event() {
    return row.event;
  }

  /** Hints for proxies and clusters, as COMMAND INFO has them. */
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

  /** Whether it runs by its subcommands only. */
  public boolean isContainer() {
    return !subcommands.isEmpty() && row.arity == CONTAINER_ARITY;
  }

  public @Nullable Command subcommand(String lowerName) {
    return subcommands.get(lowerName);
  }
}
