// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Every command, with what compression has to do with it. What is not listed passes as it is; a
 * test sees to it that no command of Lettuce or of a server is left out.
 */
final class CommandTable {

  private static final String WRONG_BYTES = "it would change them in their middle";
  private static final String PART_OF_BYTES = "it would return or compare a part of them";
  private static final String STORED_LENGTH = "it would tell the length of what is stored";

  private static final CommandRule UNKNOWN =
      new CommandRule("?", ArgumentShape.NONE, ReplyShape.NONE, Refusal.NONE, "not known");

  private static final Map<String, CommandRule> BY_NAME = new LinkedHashMap<>();
  private static final CommandRule[] BY_ORDINAL = new CommandRule[CommandType.values().length];

  static {
    strings();
    hashes();
    lists();
    streams();
    refused();
    untouched();
    for (CommandType type : CommandType.values()) {
      BY_ORDINAL[type.ordinal()] = BY_NAME.getOrDefault(type.toString(), UNKNOWN);
    }
  }

  private CommandTable() {}

  /** What is known of a command; never null. */
  static CommandRule of(ProtocolKeyword type) {
    return type instanceof CommandType known
        ? BY_ORDINAL[known.ordinal()]
        : of(new String(type.getBytes(), StandardCharsets.US_ASCII));
  }

  /** What is known of a command by its name, in any case; never null. */
  static CommandRule of(String name) {
    return BY_NAME.getOrDefault(name.toUpperCase(Locale.ROOT), UNKNOWN);
  }

  static boolean isKnown(String name) {
    return BY_NAME.containsKey(name.toUpperCase(Locale.ROOT));
  }

  static Collection<CommandRule> rules() {
    return Collections.unmodifiableCollection(BY_NAME.values());
  }

  private static void strings() {
    values("GET", ArgumentShape.NONE, ReplyShape.VALUES);
    values("SET", ArgumentShape.SET, ReplyShape.VALUES);
    values("MGET", ArgumentShape.NONE, ReplyShape.VALUES);
    values("MSET", ArgumentShape.KEY_VALUE, ReplyShape.NONE);
    values("MSETNX", ArgumentShape.KEY_VALUE, ReplyShape.NONE);
    values("MSETEX", ArgumentShape.COUNTED_KEY_VALUE, ReplyShape.NONE);
    values("SETNX", ArgumentShape.SECOND, ReplyShape.NONE);
    values("SETEX", ArgumentShape.THIRD, ReplyShape.NONE);
    values("PSETEX", ArgumentShape.THIRD, ReplyShape.NONE);
    values("GETSET", ArgumentShape.SECOND, ReplyShape.VALUES);
    values("GETEX", ArgumentShape.NONE, ReplyShape.VALUES);
    values("GETDEL", ArgumentShape.NONE, ReplyShape.VALUES);
    values("DELEX", ArgumentShape.CONDITION, ReplyShape.NONE);
    values("DELIFEQ", ArgumentShape.COMPARED_SECOND, ReplyShape.NONE);
  }

  private static void hashes() {
    values("HGET", ArgumentShape.NONE, ReplyShape.VALUES);
    values("HMGET", ArgumentShape.NONE, ReplyShape.VALUES);
    values("HGETALL", ArgumentShape.NONE, ReplyShape.PAIRS);
    values("HVALS", ArgumentShape.NONE, ReplyShape.VALUES);
    values("HGETDEL", ArgumentShape.NONE, ReplyShape.VALUES);
    values("HGETEX", ArgumentShape.NONE, ReplyShape.VALUES);
    values("HRANDFIELD", ArgumentShape.NONE, ReplyShape.PAIRS);
    values("HSCAN", ArgumentShape.NONE, ReplyShape.CURSOR_PAIRS);
    values("HSET", ArgumentShape.FIELD_VALUE, ReplyShape.NONE);
    values("HMSET", ArgumentShape.FIELD_VALUE, ReplyShape.NONE);
    values("HSETNX", ArgumentShape.THIRD, ReplyShape.NONE);
    values("HSETEX", ArgumentShape.FIELDS, ReplyShape.NONE);
    values("HIMPORT", ArgumentShape.FIELD_SET, ReplyShape.NONE);
  }

  private static void lists() {
    for (String push : new String[] {"LPUSH", "RPUSH", "LPUSHX", "RPUSHX"}) {
      values(push, ArgumentShape.FROM_SECOND, ReplyShape.NONE);
    }
    values("LSET", ArgumentShape.THIRD, ReplyShape.NONE);
    values("LINSERT", ArgumentShape.INSERT, ReplyShape.NONE);
    values("LREM", ArgumentShape.COMPARED_THIRD, ReplyShape.NONE);
    values("LPOS", ArgumentShape.COMPARED_SECOND, ReplyShape.NONE);
    for (String read :
        new String[] {
          "LRANGE",
          "LINDEX",
          "LPOP",
          "RPOP",
          "LMOVE",
          "BLMOVE",
          "LMOVEM",
          "BLMOVEM",
          "RPOPLPUSH",
          "BRPOPLPUSH"
        }) {
      values(read, ArgumentShape.NONE, ReplyShape.VALUES);
    }
    for (String keyed : new String[] {"BLPOP", "BRPOP", "LMPOP", "BLMPOP"}) {
      values(keyed, ArgumentShape.NONE, ReplyShape.AFTER_FIRST);
    }
  }

  private static void streams() {
    values("XADD", ArgumentShape.STREAM_ENTRY, ReplyShape.NONE);
    for (String read :
        new String[] {"XRANGE", "XREVRANGE", "XREAD", "XREADGROUP", "XCLAIM", "XAUTOCLAIM"}) {
      values(read, ArgumentShape.NONE, ReplyShape.ENTRIES);
    }
  }

  private static void refused() {
    refuse(Refusal.FIRST_KEY, WRONG_BYTES, "APPEND", "SETRANGE", "SETBIT", "BITFIELD");
    refuse(
        Refusal.FIRST_KEY,
        PART_OF_BYTES,
        "GETRANGE",
        "SUBSTR",
        "GETBIT",
        "BITCOUNT",
        "BITPOS",
        "BITFIELD_RO");
    refuse(Refusal.FIRST_KEY, STORED_LENGTH, "STRLEN", "HSTRLEN");
    refuse(Refusal.KEYS_FROM_SECOND, PART_OF_BYTES, "BITOP");
    refuse(Refusal.TWO_KEYS, PART_OF_BYTES, "LCS");
    refuse(Refusal.NAMED_KEYS, PART_OF_BYTES, "STRALGO");
    for (String sort : new String[] {"SORT", "SORT_RO"}) {
      add(
          new CommandRule(
              sort,
              ArgumentShape.NONE,
              ReplyShape.VALUES,
              Refusal.SORTING,
              "it would order by the bytes of values, or fetch others"));
    }
  }

  private static void untouched() {
    untouched("a number", "INCR INCRBY INCRBYFLOAT INCREX DECR DECRBY HINCRBY HINCRBYFLOAT");
    untouched(
        "no values",
        "COPY DEL DUMP EXISTS EXPIRE EXPIREAT EXPIRETIME KEYS MIGRATE MOVE OBJECT PERSIST PEXPIRE"
            + " PEXPIREAT PEXPIRETIME PTTL RANDOMKEY RENAME RENAMENX RESTORE RESTORE-ASKING TOUCH"
            + " TTL TYPE SCAN CLUSTERSCAN UNLINK DIGEST HEXPIRE HEXPIREAT HEXPIRETIME HPERSIST"
            + " HPEXPIRE HPEXPIREAT HPEXPIRETIME HPTTL HTTL HDEL HEXISTS HKEYS HLEN LLEN"
            + " LTRIM XACK XACKDEL XCFGSET XDEL XDELEX XGROUP XLEN XNACK XPENDING XTRIM XSETID XIDMPRECORD");
    untouched("shown as stored, for administration", "XINFO MONITOR DEBUG");
    untouched(
        "members, which the server compares",
        "SADD SCARD SDIFF SDIFFCARD SDIFFSTORE SINTER SINTERCARD SINTERSTORE SISMEMBER SMISMEMBER"
            + " SMEMBERS SMOVE SPOP SRANDMEMBER SREM SSCAN SUNION SUNIONCARD SUNIONSTORE BZMPOP"
            + " BZPOPMIN BZPOPMAX ZADD ZCARD ZCOUNT ZDIFF ZDIFFSTORE ZINCRBY ZINTER ZINTERCARD"
            + " ZINTERSTORE ZLEXCOUNT ZMSCORE ZMPOP ZPOPMIN ZPOPMAX ZRANDMEMBER ZRANGE"
            + " ZRANGEBYSCORE ZRANGESTORE ZRANK ZREM ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGE"
            + " ZREVRANGEBYLEX ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE ZUNION ZUNIONSTORE"
            + " ZREMRANGEBYLEX ZRANGEBYLEX GEOADD GEODIST GEOHASH GEOENCODE GEODECODE GEOPOS"
            + " GEORADIUS GEORADIUS_RO GEORADIUSBYMEMBER GEORADIUSBYMEMBER_RO GEOSEARCH"
            + " GEOSEARCHSTORE PFADD PFCOUNT PFMERGE PFDEBUG PFSELFTEST");
    untouched(
        "the script knows what its arguments are; see ValueCompression",
        "EVAL EVAL_RO EVALSHA EVALSHA_RO SCRIPT FCALL FCALL_RO FUNCTION");
    untouched(
        "messages, which others read",
        "PUBLISH SPUBLISH PUBSUB SUBSCRIBE UNSUBSCRIBE PSUBSCRIBE PUNSUBSCRIBE SSUBSCRIBE"
            + " SUNSUBSCRIBE");
    untouched(
        "of the connection or the server",
        "ACL AUTH AUTH2 ECHO HELLO PING QUIT READONLY READWRITE RESET SELECT SWAPDB BGREWRITEAOF"
            + " BGSAVE CLIENT COMMAND CONFIG DBSIZE FLUSHALL FLUSHDB HOTKEYS INFO MYID MYSHARDID"
            + " LASTSAVE LATENCY LOLWUT MODULE REPLICAOF REPLCONF ROLE SAVE SHUTDOWN SLAVEOF"
            + " SLOWLOG SYNC PSYNC FAILOVER MEMORY DISCARD EXEC MULTI UNWATCH WATCH TIME WAIT"
            + " WAITAOF SENTINEL ASKING CLUSTER TRIMSLOTS COMMANDLOG");
    untouched(
        "of a module or another data type, which has a form of its own",
        "JSON.ARRAPPEND JSON.ARRINDEX JSON.ARRINSERT JSON.ARRLEN JSON.ARRPOP JSON.ARRTRIM"
            + " JSON.CLEAR JSON.DEL JSON.GET JSON.MERGE JSON.MGET JSON.MSET JSON.NUMINCRBY"
            + " JSON.OBJKEYS JSON.OBJLEN JSON.SET JSON.STRAPPEND JSON.STRLEN JSON.TOGGLE JSON.TYPE"
            + " ARCOUNT ARDEL ARDELRANGE ARGET ARGETRANGE ARGREP ARINFO ARINSERT ARLASTITEMS ARLEN"
            + " ARMGET ARMSET ARNEXT AROP ARRING ARSCAN ARSEEK ARSET VADD VCARD VDIM VEMB VEMBRAW"
            + " VGETATTR VINFO VISMEMBER VLINKS VLINKSWITHSCORES VRANDMEMBER VRANGE VREM VSETATTR"
            + " VSIM VSIMWITHSCORES FT.AGGREGATE FT.ALIASADD FT.ALIASDEL FT.ALIASLIST"
            + " FT.ALIASUPDATE FT.ALTER FT.CREATE FT.CURSOR FT.DICTADD FT.DICTDEL FT.DICTDUMP"
            + " FT.DROPINDEX FT.EXPLAIN FT.HYBRID FT._LIST FT.SEARCH FT.SPELLCHECK FT.SUGADD"
            + " FT.SUGDEL FT.SUGGET FT.SUGLEN FT.SYNDUMP FT.SYNUPDATE FT.TAGVALS BF.ADD BF.CARD"
            + " BF.EXISTS BF.INFO BF.INSERT BF.LOADCHUNK BF.MADD BF.MEXISTS BF.RESERVE BF.SCANDUMP"
            + " CF.ADD CF.ADDNX CF.COUNT CF.DEL CF.EXISTS CF.INFO CF.INSERT CF.INSERTNX"
            + " CF.LOADCHUNK CF.MEXISTS CF.RESERVE CF.SCANDUMP TOPK.ADD TOPK.INCRBY TOPK.INFO"
            + " TOPK.LIST TOPK.QUERY TOPK.RESERVE CMS.INCRBY CMS.INFO CMS.INITBYDIM CMS.INITBYPROB"
            + " CMS.MERGE CMS.QUERY TDIGEST.ADD TDIGEST.BYRANK TDIGEST.BYREVRANK TDIGEST.CDF"
            + " TDIGEST.CREATE TDIGEST.INFO TDIGEST.MAX TDIGEST.MERGE TDIGEST.MIN TDIGEST.QUANTILE"
            + " TDIGEST.RANK TDIGEST.RESET TDIGEST.REVRANK TDIGEST.TRIMMED_MEAN");
  }

  private static void values(String name, ArgumentShape arguments, ReplyShape reply) {
    add(new CommandRule(name, arguments, reply, Refusal.NONE, ""));
  }

  private static void refuse(Refusal refusal, String reason, String... names) {
    for (String name : names) {
      add(new CommandRule(name, ArgumentShape.NONE, ReplyShape.NONE, refusal, reason));
    }
  }

  private static void untouched(String reason, String names) {
    for (String name : names.split(" ")) {
      add(new CommandRule(name, ArgumentShape.NONE, ReplyShape.NONE, Refusal.NONE, reason));
    }
  }

  private static void add(CommandRule rule) {
    if (BY_NAME.put(rule.name(), rule) != null) {
      throw new IllegalStateException(rule.name() + " is listed twice");
    }
  }
}
