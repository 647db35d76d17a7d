// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import java.util.Locale;

/** The documented groups of commands, each with one file of handlers. */
public enum Group {
  CONNECTION("connection", 'g'),
  STRING("string", '$'),
  BITMAP("bitmap", '$'),
  HYPERLOGLOG("hyperloglog", '$'),
  GENERIC("generic", 'g'),
  HASH("hash", 'h'),
  LIST("list", 'l'),
  SET("set", 's'),
  SORTED_SET("sorted-set", 'z'),
  STREAM("stream", 't'),
  GEO("geo", 'z'),
  TRANSACTIONS("transactions", 'g'),
  PUBSUB("pubsub", 'g'),
  SCRIPTING("scripting", 'g'),
  CLUSTER("cluster", 'g'),
  SERVER("server", 'g'),
  SENTINEL("sentinel", 'g');

  public final String title;

  /** Returns the class of its commands' keyspace events, as in notify-keyspace-events. */
  public final char eventClass;

  Group(String title, char eventClass) {
    this.title = title;
    this.eventClass = eventClass;
  }

  static Group titled(String title) {
    return valueOf(title.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
