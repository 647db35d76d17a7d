package dev.sheaf.embedded.internal.protocol;

/** The groups of commands, as the field's documentation names them; one file of handlers each. */
public enum Group {
  CONNECTION("connection"),
  STRING("string"),
  BITMAP("bitmap"),
  HYPERLOGLOG("hyperloglog"),
  GENERIC("generic"),
  HASH("hash"),
  LIST("list"),
  SET("set"),
  SORTED_SET("sorted-set"),
  STREAM("stream"),
  GEO("geo"),
  TRANSACTIONS("transactions"),
  PUBSUB("pubsub"),
  SCRIPTING("scripting"),
  CLUSTER("cluster"),
  SERVER("server"),
  SENTINEL("sentinel");

  private final String title;

  Group(String title) {
    this.title = title;
  }

  public String title() {
    return title;
  }
}
