package dev.sheaf.embedded.internal.protocol;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What COMMAND reports about a command, in the field's words. */
public enum Flag {
  WRITE,
  READONLY,
  DENYOOM,
  ADMIN,
  PUBSUB,
  NOSCRIPT,
  BLOCKING,
  LOADING,
  STALE,
  SKIP_MONITOR,
  SKIP_SLOWLOG,
  ASKING,
  FAST,
  NO_AUTH,
  /** Kept from clients, as Redis does: a script or message that may reach the replicas. */
  MAY_REPLICATE,
  NO_ASYNC_LOADING,
  NO_MULTI,
  MOVABLEKEYS,
  ALLOW_BUSY,
  NO_MANDATORY_KEYS;

  static Set<Flag> parse(String words) {
    Set<Flag> flags = EnumSet.noneOf(Flag.class);
    for (String word : words.split(" ")) {
      if (!word.isEmpty()) {
        flags.add(valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_')));
      }
    }
    return flags;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
