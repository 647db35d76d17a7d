// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import io.lettuce.core.protocol.CommandArgs;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Replaces one value, if it has not changed since it was read. Comparison and replacement are one
 * step on the server, so that no write of others is lost.
 */
final class Replacement {

  /** The script's reply if it has stored the value. */
  static final long DONE = 1;

  /** The script's reply if the value must stay, because its time to live would be lost. */
  static final long LEFT = 2;

  private static final String STRING =
      "local value = redis.call('GET', KEYS[1]) "
          + "if not value or redis.sha1hex(value) ~= ARGV[1] then return 0 end "
          + "local ttl = redis.call('PTTL', KEYS[1]) "
          + "if ttl < 0 then redis.call('SET', KEYS[1], ARGV[2]) "
          + "else redis.call('SET', KEYS[1], ARGV[2], 'PX', math.max(ttl, 1)) end "
          + "return 1";

  /** HSET removes the time to live of a field. Servers before 7.4 have none. */
  private static final String FIELD =
      "local value = redis.call('HGET', KEYS[1], ARGV[3]) "
          + "if not value or redis.sha1hex(value) ~= ARGV[1] then return 0 end "
          + "local ttl = redis.pcall('HPTTL', KEYS[1], 'FIELDS', 1, ARGV[3]) "
          + "if ttl.err and not string.find(ttl.err, 'nknown') then return ttl end "
          + "if ttl[1] and ttl[1] >= 0 then return 2 end "
          + "redis.call('HSET', KEYS[1], ARGV[3], ARGV[2]) "
          + "return 1";

  private static final String ELEMENT =
      "local value = redis.call('LINDEX', KEYS[1], ARGV[3]) "
          + "if not value or redis.sha1hex(value) ~= ARGV[1] then return 0 end "
          + "redis.call('LSET', KEYS[1], ARGV[3], ARGV[2]) "
          + "return 1";

  private final String script;
  private final byte[] key;
  private final byte[] before;
  private final byte[] after;
  private final byte @Nullable [] field;
  private final long index;

  private Replacement(
      String script, byte[] key, byte[] before, byte[] after, byte @Nullable [] field, long index) {
    this.script = script;
    this.key = key;
    this.before = before;
    this.after = after;
    this.field = field;
    this.index = index;
  }

  static Replacement ofString(byte[] key, byte[] before, byte[] after) {
    return new Replacement(STRING, key, before, after, null, -1);
  }

  static Replacement ofField(byte[] key, byte[] field, byte[] before, byte[] after) {
    return new Replacement(FIELD, key, before, after, field, -1);
  }

  static Replacement ofElement(byte[] key, long index, byte[] before, byte[] after) {
    return new Replacement(ELEMENT, key, before, after, null, index);
  }

  int bytesBefore() {
    return before.length;
  }

  int bytesAfter() {
    return after.length;
  }

  /** Returns the arguments of EVAL. */
  CommandArgs<byte[], byte[]> call() {
    CommandArgs<byte[], byte[]> args =
        StoredCommands.args().add(script).add(1).addKey(key).add(sha1(before)).add(after);
    if (field != null) {
      args.add(field);
    } else if (index >= 0) {
      args.add(index);
    }
    return args;
  }

  private static String sha1(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-1", e);
    }
  }
}
