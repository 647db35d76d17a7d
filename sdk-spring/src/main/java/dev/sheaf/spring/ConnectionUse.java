package dev.sheaf.spring;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;

/**
 * What connections to a server and to a cluster have in common: their blocking commands see to the
 * loops of the calling thread, and one that keeps nothing when it is closed is used again.
 *
 * <p>Confined to whoever has the connection.
 */
final class ConnectionUse {

  private final Spare.Origin origin;
  private final Spare spare;
  private final BooleanSupplier waits;
  private final Map<Class<?>, Object> commands = new IdentityHashMap<>();

  private boolean open = true;
  private boolean keepsState;

  /**
   * Begins with an open connection.
   *
   * @param spare where it goes when it is closed
   * @param waits whether its commands wait for their replies now
   */
  ConnectionUse(Spare.Origin origin, Spare spare, BooleanSupplier waits) {
    this.origin = origin;
    this.spare = spare;
    this.waits = waits;
  }

  Spare.Origin origin() {
    return origin;
  }

  void begin() {
    open = true;
  }

  boolean isOpen() {
    return open;
  }

  /** From now on the connection has something of its own, which closing it has to end. */
  void keepState() {
    keepsState = true;
  }

  /** Whether there is nothing to close: the connection is closed already, or is used again. */
  boolean end(LettuceConnection connection) {
    if (open && !keepsState && spare.keep(connection, this)) {
      open = false;
    }
    return !open;
  }

  /** Commands that see to the loops of the calling thread. */
  <T> T seeing(Class<T> type, T spring) {
    Object known = commands.get(type);
    if (known == null) {
      known = origin.face().seeing(type, spring, waits);
      commands.put(type, known);
    }
    return type.cast(known);
  }

  /** A GET, spared the object that other commands are seen through. */
  byte @Nullable [] get(byte[] key, RedisStringCommands spring) {
    return key != null && waits.getAsBoolean() ? origin.face().get(key, spring) : spring.get(key);
  }
}
