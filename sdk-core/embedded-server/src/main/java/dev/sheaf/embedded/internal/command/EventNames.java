package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Group;
import java.util.Map;

/** What keyspace events call the effect of a command, where it is not the command's own name. */
final class EventNames {
  private static final Map<String, String> BY_COMMAND =
      Map.ofEntries(
          Map.entry("setnx", "set"),
          Map.entry("setex", "set"),
          Map.entry("psetex", "set"),
          Map.entry("getset", "set"),
          Map.entry("mset", "set"),
          Map.entry("msetnx", "set"),
          Map.entry("bitop", "set"),
          Map.entry("lpushx", "lpush"),
          Map.entry("rpushx", "rpush"),
          Map.entry("blpop", "lpop"),
          Map.entry("brpop", "rpop"),
          Map.entry("pfmerge", "pfadd"),
          Map.entry("hmset", "hset"),
          Map.entry("hsetnx", "hset"),
          Map.entry("zincrby", "zincr"),
          Map.entry("bzpopmin", "zpopmin"),
          Map.entry("bzpopmax", "zpopmax"),
          Map.entry("pexpire", "expire"),
          Map.entry("expireat", "expire"),
          Map.entry("pexpireat", "expire"),
          Map.entry("sort", "sortstore"),
          Map.entry("bitfield", "setbit"),
          Map.entry("geoadd", "zadd"),
          Map.entry("georadius", "georadiusstore"),
          Map.entry("georadiusbymember", "georadiusstore"),
          Map.entry("xgroup|create", "xgroup-create"),
          Map.entry("xgroup|createconsumer", "xgroup-createconsumer"),
          Map.entry("xgroup|delconsumer", "xgroup-delconsumer"),
          Map.entry("xgroup|destroy", "xgroup-destroy"),
          Map.entry("xgroup|setid", "xgroup-setid"));

  private EventNames() {}

  static String of(Command command) {
    return BY_COMMAND.getOrDefault(command.name(), command.name());
  }

  static char classOf(Group group) {
    return switch (group) {
      case STRING, BITMAP, HYPERLOGLOG -> '$';
      case LIST -> 'l';
      case SET -> 's';
      case HASH -> 'h';
      case SORTED_SET, GEO -> 'z';
      case STREAM -> 't';
      default -> 'g';
    };
  }
}
