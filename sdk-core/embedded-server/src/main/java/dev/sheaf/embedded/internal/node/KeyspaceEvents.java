// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.Bytes;
import org.jspecify.annotations.Nullable;

/** The keyspace events that a node publishes: the classes of {@code notify-keyspace-events}. */
public final class KeyspaceEvents {
  private static final String KEY_CLASSES = "g$lshzxetdn";
  private static final String ALL_CLASSES = "g$lshzxetd";
  private static final String OTHER_CLASSES = "KEm";

  private String classes = "";

  /** Returns the form of a setting in CONFIG GET; null if it has an unknown letter. */
  public static @Nullable String shown(String setting) {
    for (int i = 0; i < setting.length(); i++) {
      if ((KEY_CLASSES + OTHER_CLASSES + "A").indexOf(setting.charAt(i)) < 0) {
        return null;
      }
    }
    String wanted = setting.replace("A", ALL_CLASSES);
    boolean all = ALL_CLASSES.chars().allMatch(c -> wanted.indexOf(c) >= 0);
    StringBuilder shown = new StringBuilder(all ? "A" : "");
    for (char c : (KEY_CLASSES + OTHER_CLASSES).toCharArray()) {
      if (wanted.indexOf(c) >= 0 && !(all && KEY_CLASSES.indexOf(c) >= 0)) {
        shown.append(c);
      }
    }
    return shown.toString();
  }

  void set(String setting) {
    classes = setting.replace("A", ALL_CLASSES);
  }

  boolean isOff() {
    return classes.isEmpty();
  }

  /** Publishes the event if its class is enabled. */
  void announce(PubSub pubSub, char eventClass, String event, int dbIndex, byte[] key) {
    if (classes.indexOf(eventClass) < 0) {
      return;
    }
    if (classes.indexOf('K') >= 0) {
      pubSub.publish(join("__keyspace@" + dbIndex + "__:", key), Bytes.of(event));
    }
    if (classes.indexOf('E') >= 0) {
      pubSub.publish(Bytes.of("__keyevent@" + dbIndex + "__:" + event), key);
    }
  }

  private static byte[] join(String prefix, byte[] key) {
    byte[] joined = java.util.Arrays.copyOf(Bytes.of(prefix), prefix.length() + key.length);
    System.arraycopy(key, 0, joined, prefix.length(), key.length);
    return joined;
  }
}
