// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.acl;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.protocol.Categories;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A set of permissions. A user has a root set and can have more. */
public final class AclSelector {
  private record KeyPattern(byte[] pattern, boolean reads, boolean writes) {
    String shown() {
      String prefix = reads && writes ? "~" : reads ? "%R~" : "%W~";
      return prefix + Bytes.text(pattern);
    }
  }

  private final CommandTable table;
  private boolean startsWithAll;
  private final BitSet commands = new BitSet();
  private final List<String> commandRules = new ArrayList<>();
  private boolean allKeys;
  private final List<KeyPattern> keys = new ArrayList<>();
  private boolean allChannels;
  private final List<byte[]> channels = new ArrayList<>();

  AclSelector(CommandTable table) {
    this.table = table;
  }

  AclSelector(AclSelector other) {
    table = other.table;
    startsWithAll = other.startsWithAll;
    commands.or(other.commands);
    commandRules.addAll(other.commandRules);
    allKeys = other.allKeys;
    keys.addAll(other.keys);
    allChannels = other.allChannels;
    channels.addAll(other.channels);
  }

  /**
   * @throws AclException if the rule is invalid
   */
  void apply(String rule) {
    switch (rule.toLowerCase(Locale.ROOT)) {
      case "allkeys", "~*", "resetkeys" -> {
        allKeys = !rule.equalsIgnoreCase("resetkeys");
        keys.clear();
      }
      case "allchannels", "&*", "resetchannels" -> {
        allChannels = !rule.equalsIgnoreCase("resetchannels");
        channels.clear();
      }
      case "allcommands", "+@all" -> allCommands(true);
      case "nocommands", "-@all" -> allCommands(false);
      default -> applyPattern(rule);
    }
  }

  private void allCommands(boolean all) {
    startsWithAll = all;
    commandRules.clear();
    commands.clear();
    if (all) {
      table.rows().forEach(row -> commands.set(row.id));
    }
  }

  private void applyPattern(String rule) {
    char kind = rule.isEmpty() ? ' ' : rule.charAt(0);
    switch (kind) {
      case '~' -> addKey(rule.substring(1), true, true);
      case '%' -> addKeyWithAccess(rule);
      case '&' -> {
        AclException.when(
            allChannels,
            "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and"
                + " does not have any effect. Try 'resetchannels' to start with an empty list"
                + " of channels");
        byte[] channel = Bytes.latin(rule.substring(1));
        if (channels.stream().noneMatch(known -> Arrays.equals(known, channel))) {
          channels.add(channel);
        }
      }
      case '+', '-' -> {
        if (rule.startsWith("@", 1)) {
          category(rule);
        } else {
          command(rule);
        }
      }
      default -> throw new AclException("Syntax error");
    }
  }

  private void addKeyWithAccess(String rule) {
    int tilde = rule.indexOf('~');
    String access = tilde < 0 ? "" : rule.substring(1, tilde).toUpperCase(Locale.ROOT);
    AclException.when(!access.matches("[RW]+"), "Syntax error");
    addKey(rule.substring(tilde + 1), access.contains("R"), access.contains("W"));
  }

  private void addKey(String pattern, boolean reads, boolean writes) {
    AclException.when(
        allKeys,
        "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not"
            + " have any effect. Try 'resetkeys' to start with an empty list of patterns");
    KeyPattern added = new KeyPattern(Bytes.latin(pattern), reads, writes);
    if (keys.stream().noneMatch(known -> known.shown().equals(added.shown()))) {
      keys.add(added);
    }
  }

  private void category(String rule) {
    String name = rule.substring(2).toLowerCase(Locale.ROOT);
    AclException.when(!Categories.ALL.contains(name), "Unknown command or category name in ACL");
    for (Command row : table.rows()) {
      if (row.categories().contains(name)) {
        commands.set(row.id, rule.charAt(0) == '+');
      }
    }
    remember(rule.charAt(0) + "@" + name);
  }

  private void command(String rule) {
    String name = rule.substring(1).toLowerCase(Locale.ROOT);
    Command command = table.find(name);
    if (command == null) {
      throw new AclException("Unknown command or category name in ACL");
    }
    boolean allowed = rule.charAt(0) == '+';
    commands.set(command.id, allowed);
    for (Command sub : command.subcommands.values()) {
      commands.set(sub.id, allowed);
      commandRules.removeIf(known -> known.substring(1).equals(sub.name()));
    }
    remember(rule.charAt(0) + name);
  }

  private void remember(String rule) {
    commandRules.removeIf(known -> known.substring(1).equals(rule.substring(1)));
    commandRules.add(rule);
  }

  boolean allows(Command command) {
    return commands.get(command.id);
  }

  boolean allowsKey(byte[] key, boolean reads, boolean writes) {
    if (allKeys) {
      return true;
    }
    for (KeyPattern known : keys) {
      if ((known.reads() || !reads)
          && (known.writes() || !writes)
          && Glob.matches(known.pattern(), key)) {
        return true;
      }
    }
    return false;
  }

  boolean allowsChannel(byte[] channel, boolean isPattern) {
    return allChannels
        || channels.stream()
            .anyMatch(
                known -> isPattern ? Arrays.equals(known, channel) : Glob.matches(known, channel));
  }

  /** Returns the form in ACL GETUSER. */
  public String commandsShown() {
    return String.join(" ", rulesShown());
  }

  private List<String> rulesShown() {
    List<String> shown = new ArrayList<>();
    shown.add(startsWithAll ? "+@all" : "-@all");
    shown.addAll(commandRules);
    return shown;
  }

  public String keysShown() {
    return allKeys ? "~*" : keys.stream().map(KeyPattern::shown).collect(Collectors.joining(" "));
  }

  public String channelsShown() {
    return allChannels
        ? "&*"
        : channels.stream().map(c -> "&" + Bytes.text(c)).collect(Collectors.joining(" "));
  }

  /** Returns the form in ACL LIST. */
  String shown() {
    List<String> parts = new ArrayList<>();
    if (!keysShown().isEmpty()) {
      parts.add(keysShown());
    }
    if (!allChannels) {
      parts.add("resetchannels");
    }
    if (!channelsShown().isEmpty()) {
      parts.add(channelsShown());
    }
    parts.add(commandsShown());
    return String.join(" ", parts);
  }
}
