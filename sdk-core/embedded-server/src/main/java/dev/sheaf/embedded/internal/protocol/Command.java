package dev.sheaf.embedded.internal.protocol;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One row of the command table: what is known of a command besides what it does. */
public final class Command {
  private final int id;
  private final String name;
  private final int arity;
  private final Set<Flag> flags;
  private final KeySpec keys;
  private final Group group;
  private final String since;
  private final String summary;
  private final Map<String, Command> subcommands = new LinkedHashMap<>();
  private final boolean write;

  Command(
      int id,
      String name,
      int arity,
      Set<Flag> flags,
      KeySpec keys,
      Group group,
      String since,
      String summary) {
    this.id = id;
    this.name = name;
    this.arity = arity;
    this.flags = flags;
    this.keys = keys;
    this.group = group;
    this.since = since;
    this.summary = summary;
    this.write = flags.contains(Flag.WRITE);
  }

  /** A dense number, for counters. */
  public int id() {
    return id;
  }

  /** In lower case; a subcommand as {@code client|setname}. */
  public String name() {
    return name;
  }

  /** The number of arguments with the name; negative: at least as many. */
  public int arity() {
    return arity;
  }

  public boolean accepts(int arguments) {
    return arity >= 0 ? arguments == arity : arguments >= -arity;
  }

  public boolean is(Flag flag) {
    return flags.contains(flag);
  }

  public boolean isWrite() {
    return write;
  }

  public Set<Flag> flags() {
    return flags;
  }

  public KeySpec keys() {
    return keys;
  }

  public Group group() {
    return group;
  }

  public String since() {
    return since;
  }

  public String summary() {
    return summary;
  }

  /** By their own name in lower case; empty for a plain command. */
  public Map<String, Command> subcommands() {
    return subcommands;
  }

  /** Whether it runs by its subcommands only. */
  public boolean isContainer() {
    return !subcommands.isEmpty() && arity == CommandTable.CONTAINER_ARITY;
  }

  public @Nullable Command subcommand(String lowerName) {
    return subcommands.get(lowerName);
  }
}
