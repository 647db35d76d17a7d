package dev.sheaf.internal.command;

import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ReadOnlyCommands;
import java.util.HashSet;
import java.util.Set;

/**
 * What a command may change, by its name: nothing, the one key that is its first argument, or
 * anything. What is not known to be harmless may change anything.
 */
enum CommandEffects {
  /** No value changes. */
  NONE,
  /** The key that is the first argument, and no other. */
  FIRST_ARGUMENT,
  /** Any number of keys, or what is read after it must not have been read before (WATCH). */
  ANY;

  /** Not in Lettuce's set of reads, because they are no reads of data, or are not cluster-safe. */
  private static final Set<String> HARMLESS =
      Set.of(
          "PING",
          "ECHO",
          "HELLO",
          "TIME",
          "INFO",
          "ROLE",
          "CONFIG",
          "CLUSTER",
          "CLIENT",
          "COMMAND",
          "READONLY",
          "READWRITE",
          "ASKING",
          "MEMORY",
          "OBJECT",
          "SLOWLOG",
          "LASTSAVE",
          "DBSIZE",
          "WAIT",
          "TOUCH",
          "EXPIRETIME",
          "PEXPIRETIME",
          "LCS",
          "STRALGO",
          "PUBLISH",
          "SPUBLISH",
          "PUBSUB",
          "SUBSCRIBE",
          "UNSUBSCRIBE",
          "PSUBSCRIBE",
          "PUNSUBSCRIBE",
          "SSUBSCRIBE",
          "SUNSUBSCRIBE",
          "ZMSCORE",
          "ZDIFF",
          "ZINTER",
          "ZINTERCARD",
          "ZUNION",
          "SINTERCARD");

  private static final Set<String> CHANGE_FIRST_ARGUMENT =
      Set.of(
          // Strings and bits.
          "SET",
          "SETEX",
          "PSETEX",
          "SETNX",
          "GETSET",
          "GETDEL",
          "GETEX",
          "APPEND",
          "SETRANGE",
          "INCR",
          "INCRBY",
          "INCRBYFLOAT",
          "DECR",
          "DECRBY",
          "SETBIT",
          "BITFIELD",
          "DELEX",
          // Keys. DEL and UNLINK with one key only; see of().
          "DEL",
          "UNLINK",
          "EXPIRE",
          "EXPIREAT",
          "PEXPIRE",
          "PEXPIREAT",
          "PERSIST",
          "RESTORE",
          // Hashes.
          "HSET",
          "HMSET",
          "HSETNX",
          "HDEL",
          "HINCRBY",
          "HINCRBYFLOAT",
          "HEXPIRE",
          "HEXPIREAT",
          "HPEXPIRE",
          "HPEXPIREAT",
          "HPERSIST",
          "HGETDEL",
          "HGETEX",
          "HSETEX",
          // Lists.
          "LPUSH",
          "RPUSH",
          "LPUSHX",
          "RPUSHX",
          "LPOP",
          "RPOP",
          "LSET",
          "LREM",
          "LTRIM",
          "LINSERT",
          // Sets and sorted sets.
          "SADD",
          "SREM",
          "SPOP",
          "ZADD",
          "ZREM",
          "ZINCRBY",
          "ZPOPMIN",
          "ZPOPMAX",
          "ZREMRANGEBYRANK",
          "ZREMRANGEBYSCORE",
          "ZREMRANGEBYLEX",
          // Streams, sketches, places.
          "XADD",
          "XDEL",
          "XTRIM",
          "XACK",
          "PFADD",
          "GEOADD");

  private static final Set<String> READS = reads();

  private static Set<String> reads() {
    Set<String> names = new HashSet<>(HARMLESS);
    for (CommandType type : ReadOnlyCommands.getReadOnlyCommands()) {
      names.add(type.toString());
    }
    return Set.copyOf(names);
  }

  /** The effects of a command, which must have been encoded. */
  static CommandEffects of(Outgoing<?, ?, ?> command) {
    if (command.fusible() != null) {
      return NONE;
    }
    String name = command.getType().toString();
    if (READS.contains(name)) {
      return NONE;
    }
    CommandArgs<?, ?> args = command.getArgs();
    if (args == null || args.count() == 0 || !CHANGE_FIRST_ARGUMENT.contains(name)) {
      return ANY;
    }
    boolean everyArgumentIsKey = name.equals("DEL") || name.equals("UNLINK");
    return everyArgumentIsKey && args.count() > 1 ? ANY : FIRST_ARGUMENT;
  }
}
