// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.acl;

import dev.sheaf.embedded.internal.protocol.CommandTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The users of one node. */
public final class AclUsers {
  public static final String DEFAULT = "default";

  private final TreeMap<String, AclUser> users = new TreeMap<>();
  private final CommandTable commands;

  /** The user of connections without authentication. */
  public final AclUser standard;

  /** {@code commands} are those that rules can name. */
  public AclUsers(CommandTable commands) {
    this.commands = commands;
    standard = new AclUser(DEFAULT, commands);
    List.of("on", "nopass", "~*", "&*", "+@all").forEach(standard::apply);
    users.put(DEFAULT, standard);
  }

  public Collection<AclUser> all() {
    return users.values();
  }

  public @Nullable AclUser find(String name) {
    return users.get(name);
  }

  /** Returns the user if the password is correct and it is enabled; otherwise null. */
  public @Nullable AclUser authenticate(String name, String password) {
    AclUser user = users.get(name);
    return user != null && user.accepts(password) ? user : null;
  }

  /** Sets the password of the default user, as requirepass does; empty for none. */
  public void requirePassword(byte[] password) {
    standard.onlyPassword(password);
  }

  /**
   * Creates or changes a user. Applies all rules or none.
   *
   * @throws AclException if a rule is invalid; the message names it
   */
  public AclUser set(String name, List<String> rules) {
    AclUser known = users.get(name);
    AclUser changed = known == null ? new AclUser(name, commands) : new AclUser(known);
    for (String rule : merged(rules)) {
      try {
        changed.apply(rule);
      } catch (AclException e) {
        throw new AclException("ERR Error in ACL SETUSER modifier '" + rule + "': " + e.reason());
      }
    }
    if (known == null) {
      users.put(name, changed);
      return changed;
    }
    known.take(changed);
    return known;
  }

  /** A selector in parentheses can be split into several words. */
  private static List<String> merged(List<String> rules) {
    List<String> merged = new ArrayList<>();
    StringBuilder open = null;
    for (String rule : rules) {
      if (open == null && rule.startsWith("(")) {
        open = new StringBuilder();
      }
      if (open == null) {
        merged.add(rule);
      } else {
        open.append(open.isEmpty() ? "" : " ").append(rule);
        if (rule.endsWith(")")) {
          merged.add(open.toString());
          open = null;
        }
      }
    }
    AclException.when(
        open != null, "ERR Unmatched parenthesis in acl selector starting at '%s'.", open);
    return merged;
  }

  public boolean remove(String name) {
    return users.remove(name) != null;
  }
}
