// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.acl;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandTable;
import dev.sheaf.embedded.internal.protocol.KeyAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A user with its passwords and permissions. */
public final class AclUser {
  /** The kinds of refused actions. */
  public enum Denied {
    COMMAND,
    KEY,
    CHANNEL
  }

  /**
   * A missing permission.
   *
   * @param what the kind of the permission
   * @param object the command, key or channel
   */
  public record Denial(Denied what, String object) {}

  private static final Set<String> PATTERN_SUBSCRIBERS = Set.of("psubscribe");
  private static final Set<String> CHANNEL_LISTS = Set.of("subscribe", "ssubscribe", "psubscribe");
  private static final Set<String> PUBLISHERS = Set.of("publish", "spublish");

  public final String name;
  private boolean enabled;
  private boolean noPassword;

  /** Displayed only: a payload is converted to values of this server, or refused. */
  private String payload = "";

  public final List<String> passwords = new ArrayList<>();
  private final CommandTable commands;
  private AclSelector root;
  private final List<AclSelector> more = new ArrayList<>();
  private boolean unrestricted;

  AclUser(String name, CommandTable commands) {
    this.name = name;
    this.commands = commands;
    this.root = new AclSelector(commands);
    this.payload = commands.edition.isNewer() ? "sanitize-payload" : "";
  }

  AclUser(AclUser other) {
    name = other.name;
    commands = other.commands;
    root = new AclSelector(other.root);
    take(other);
  }

  void take(AclUser other) {
    enabled = other.enabled;
    noPassword = other.noPassword;
    payload = other.payload;
    passwords.clear();
    passwords.addAll(other.passwords);
    root = new AclSelector(other.root);
    more.clear();
    other.more.forEach(selector -> more.add(new AclSelector(selector)));
    unrestricted = other.unrestricted;
  }

  public boolean needsNoPassword() {
    return noPassword;
  }

  public AclSelector root() {
    return root;
  }

  public List<AclSelector> selectors() {
    return more;
  }

  /** Returns the form in ACL GETUSER. */
  public List<String> flags() {
    List<String> flags = new ArrayList<>(List.of(enabled ? "on" : "off"));
    if (noPassword) {
      flags.add("nopass");
    }
    if (!payload.isEmpty()) {
      flags.add(payload);
    }
    return flags;
  }

  /** The password in the bytes a client sends, one char per byte. */
  public boolean accepts(String password) {
    return enabled && (noPassword || passwords.contains(sha256(Bytes.latin(password))));
  }

  private static String sha256(byte[] password) {
    return Bytes.digest("SHA-256", password);
  }

  /** Sets this as the only password; empty allows any. */
  public void onlyPassword(byte[] password) {
    passwords.clear();
    noPassword = password.length == 0;
    if (!noPassword) {
      passwords.add(sha256(password));
    }
  }

  /**
   * @throws AclException if the rule is invalid
   */
  void apply(String rule) {
    unrestricted = false;
    switch (rule.toLowerCase(Locale.ROOT)) {
      case "on" -> enabled = true;
      case "off" -> enabled = false;
      case "nopass" -> {
        noPassword = true;
        passwords.clear();
      }
      case "resetpass" -> {
        noPassword = false;
        passwords.clear();
      }
      case "sanitize-payload", "skip-sanitize-payload" -> payload = rule.toLowerCase(Locale.ROOT);
      case "clearselectors" -> more.clear();
      case "reset" -> {
        enabled = false;
        noPassword = false;
        payload = "sanitize-payload";
        passwords.clear();
        more.clear();
        root = new AclSelector(commands);
      }
      default -> applyOther(rule);
    }
    unrestricted = root.shown().equals("~* &* +@all");
  }

  private void applyOther(String rule) {
    char kind = rule.isEmpty() ? ' ' : rule.charAt(0);
    switch (kind) {
      case '>' -> addPassword(sha256(Bytes.latin(rule.substring(1))));
      case '#' -> addPassword(hash(rule));
      case '<' -> removePassword(sha256(Bytes.latin(rule.substring(1))));
      case '!' -> removePassword(hash(rule));
      case '(' -> {
        AclSelector selector = new AclSelector(commands);
        for (String part : rule.substring(1, rule.length() - 1).trim().split(" +", -1)) {
          if (!part.isEmpty()) {
            selector.apply(part);
          }
        }
        more.add(selector);
      }
      default -> root.apply(rule);
    }
  }

  private static String hash(String rule) {
    String hash = rule.substring(1);
    if (!hash.matches("[0-9a-f]{64}")) {
      throw new AclException(
          "The password hash must be exactly 64 characters and contain only lowercase hexadecimal"
              + " characters");
    }
    return hash;
  }

  private void addPassword(String hash) {
    noPassword = false;
    if (!passwords.contains(hash)) {
      passwords.add(hash);
    }
  }

  private void removePassword(String hash) {
    AclException.when(
        !passwords.remove(hash),
        "The password you are trying to remove from the user does not exist");
  }

  /** Returns the permission the user lacks for the command; null if none. */
  public @Nullable Denial denies(Command command, byte[][] args) {
    if (unrestricted) {
      return null;
    }
    Denial denial = denies(root, command, args);
    for (AclSelector selector : more) {
      if (denial == null) {
        return null;
      }
      Denial other = denies(selector, command, args);
      denial = other == null || other.what().compareTo(denial.what()) > 0 ? other : denial;
    }
    return denial;
  }

  private static @Nullable Denial denies(AclSelector selector, Command command, byte[][] args) {
    if (!selector.allows(command)) {
      return new Denial(Denied.COMMAND, command.name());
    }
    int[] keys = command.keys.areChannels() ? new int[0] : command.keys.find(args);
    boolean channels = CHANNEL_LISTS.contains(command.name());
    if (!channels && !PUBLISHERS.contains(command.name())) {
      for (int place : keys) {
        KeyAccess access = command.access(place, args);
        if (!selector.allowsKey(args[place], access.reads(), access.writes())) {
          return new Denial(Denied.KEY, Bytes.text(args[place]));
        }
      }
      return null;
    }
    int last = channels ? args.length - 1 : 1;
    for (int i = 1; i <= last; i++) {
      if (!selector.allowsChannel(args[i], PATTERN_SUBSCRIBERS.contains(command.name()))) {
        return new Denial(Denied.CHANNEL, Bytes.text(args[i]));
      }
    }
    return null;
  }

  /** Returns whether it can subscribe there. */
  public boolean mayListen(byte[] channel, boolean isPattern) {
    return root.allowsChannel(channel, isPattern)
        || more.stream().anyMatch(selector -> selector.allowsChannel(channel, isPattern));
  }

  /** Returns the form in ACL LIST. */
  public String shown() {
    StringBuilder line = new StringBuilder("user " + name + " " + String.join(" ", flags()));
    passwords.forEach(hash -> line.append(" #").append(hash));
    line.append(' ').append(root.shown());
    more.forEach(selector -> line.append(" (").append(selector.shown()).append(')'));
    return line.toString();
  }
}
