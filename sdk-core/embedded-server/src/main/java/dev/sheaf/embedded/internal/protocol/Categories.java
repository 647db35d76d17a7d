package dev.sheaf.embedded.internal.protocol;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The categories of permissions a command belongs to, made from its flags and its group. */
public final class Categories {
  /** In the order ACL CAT gives them. */
  public static final List<String> ALL =
      List.of(
          "keyspace",
          "read",
          "write",
          "set",
          "sortedset",
          "list",
          "hash",
          "string",
          "bitmap",
          "hyperloglog",
          "geo",
          "stream",
          "pubsub",
          "admin",
          "fast",
          "slow",
          "blocking",
          "dangerous",
          "connection",
          "transaction",
          "scripting");

  private static final Set<String> CONNECTION =
      Set.of("asking", "command", "readonly", "readwrite", "wait");
  private static final Set<String> KEYSPACE = Set.of("dbsize", "flushall", "flushdb", "swapdb");
  private static final Set<String> DANGEROUS =
      Set.of(
          "flushall",
          "flushdb",
          "swapdb",
          "info",
          "keys",
          "migrate",
          "restore",
          "sort",
          "sort_ro",
          "lastsave",
          "role");
  private static final Set<String> ADMIN = Set.of("lastsave", "role");
  private static final Set<String> WITHOUT_GROUP =
      Set.of(
          "client",
          "function",
          "script",
          "object",
          "pubsub",
          "pubsub|help",
          "xgroup",
          "xinfo",
          "sort",
          "sort_ro",
          "wait");
  private static final Map<Group, String> NAMES =
      Map.of(
          Group.SORTED_SET,
          "sortedset",
          Group.GENERIC,
          "keyspace",
          Group.TRANSACTIONS,
          "transaction",
          Group.CLUSTER,
          "",
          Group.SERVER,
          "",
          Group.SENTINEL,
          "");

  private Categories() {}

  /** Without the leading {@code @}. */
  public static Set<String> of(Command command) {
    Set<String> found = new LinkedHashSet<>();
    String name = command.name();
    String base = name.contains("|") ? name.substring(0, name.indexOf('|')) : name;
    if (command.isWrite()) {
      found.add("write");
    }
    if (command.is(Flag.READONLY) && command.group() != Group.SCRIPTING) {
      found.add("read");
    }
    String group = NAMES.getOrDefault(command.group(), command.group().title());
    if (!group.isEmpty() && !WITHOUT_GROUP.contains(name)) {
      found.add(group);
    }
    if (KEYSPACE.contains(name)) {
      found.add("keyspace");
    }
    if (base.startsWith("sort")) {
      found.addAll(List.of("list", "set", "sortedset"));
    }
    if (CONNECTION.contains(base)) {
      found.add("connection");
    }
    if (command.is(Flag.ADMIN) || ADMIN.contains(name)) {
      found.add("admin");
      found.add("dangerous");
    }
    if (DANGEROUS.contains(name)) {
      found.add("dangerous");
    }
    found.add(command.is(Flag.FAST) ? "fast" : "slow");
    if (command.is(Flag.BLOCKING)) {
      found.add("blocking");
    }
    return found;
  }
}
