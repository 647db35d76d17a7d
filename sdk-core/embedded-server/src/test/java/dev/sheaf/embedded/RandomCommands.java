// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A reproducible stream of commands over a few keys of clashing types. Without ranges by bytes over
 * mixed scores: their answer depends on the inner structure of a sorted set.
 */
final class RandomCommands {
  /** K a key, M a member or field, V a value, N a small integer, F a score, I an index. */
  private static final String[] TEMPLATES = {
    "SET K V",
    "SET K N",
    "SET K V NX",
    "SET K V XX",
    "SET K V GET",
    "SET K V EX 1000",
    "SET K V KEEPTTL",
    "GET K",
    "GET K",
    "GETSET K V",
    "GETDEL K",
    "GETEX K PERSIST",
    "MGET K K K",
    "MSET K V K N",
    "MSETNX K V K V",
    "APPEND K V",
    "STRLEN K",
    "INCR K",
    "INCRBY K N",
    "DECR K",
    "INCRBYFLOAT K F",
    "GETRANGE K I I",
    "SETRANGE K N V",
    "SETBIT K N 1",
    "GETBIT K N",
    "BITCOUNT K",
    "BITCOUNT K I I",
    "BITPOS K 1",
    "BITPOS K 0 I",
    "BITOP AND K K K",
    "BITOP XOR K K K",
    "LCS K K",
    "LCS K K IDX",
    "DEL K",
    "DEL K K",
    "UNLINK K",
    "EXISTS K K",
    "TYPE K",
    "EXPIRE K 1000",
    "EXPIRE K 500 GT",
    "PERSIST K",
    "TTL K",
    "RENAME K K",
    "RENAMENX K K",
    "COPY K K",
    "COPY K K REPLACE",
    "KEYS *",
    "DBSIZE",
    "HSET K M V",
    "HSET K M N M V",
    "HSETNX K M V",
    "HGET K M",
    "HMGET K M M",
    "HGETALL K",
    "HKEYS K",
    "HVALS K",
    "HLEN K",
    "HDEL K M",
    "HINCRBY K M N",
    "HINCRBYFLOAT K M F",
    "HEXISTS K M",
    "HSTRLEN K M",
    "RPUSH K V",
    "LPUSH K M M",
    "RPUSHX K M",
    "LPOP K",
    "RPOP K",
    "LPOP K 2",
    "LLEN K",
    "LINDEX K I",
    "LSET K I M",
    "LINSERT K BEFORE M V",
    "LRANGE K I I",
    "LREM K I M",
    "LTRIM K I I",
    "LPOS K M",
    "LPOS K M COUNT 0",
    "LMOVE K K LEFT RIGHT",
    "RPOPLPUSH K K",
    "LMPOP 2 K K LEFT COUNT 2",
    "SADD K M",
    "SADD K M N",
    "SADD K N N",
    "SREM K M",
    "SISMEMBER K M",
    "SMISMEMBER K M N",
    "SCARD K",
    "SMEMBERS K",
    "SMOVE K K M",
    "SINTER K K",
    "SUNION K K",
    "SDIFF K K",
    "SINTERSTORE K K K",
    "SUNIONSTORE K K K",
    "SDIFFSTORE K K K",
    "SINTERCARD 2 K K",
    "ZADD K F M",
    "ZADD K F M F M",
    "ZADD K NX F M",
    "ZADD K XX CH F M",
    "ZADD K GT CH F M",
    "ZADD K LT F M",
    "ZADD K INCR F M",
    "ZINCRBY K F M",
    "ZREM K M",
    "ZSCORE K M",
    "ZMSCORE K M M",
    "ZRANK K M",
    "ZREVRANK K M",
    "ZCARD K",
    "ZCOUNT K F F",
    "ZRANGE K I I",
    "ZRANGE K I I WITHSCORES",
    "ZRANGE K I I REV WITHSCORES",
    "ZRANGE K F F BYSCORE",
    "ZRANGE K F F BYSCORE REV LIMIT 1 2",
    "ZREVRANGEBYSCORE K F F WITHSCORES",
    "ZPOPMIN K",
    "ZPOPMAX K 2",
    "ZUNION 2 K K WITHSCORES",
    "ZINTER 2 K K WITHSCORES",
    "ZDIFF 2 K K WITHSCORES",
    "ZUNIONSTORE K 2 K K WEIGHTS N F",
    "ZINTERSTORE K 2 K K AGGREGATE MAX",
    "ZDIFFSTORE K 2 K K",
    "ZRANGESTORE K K I I",
    "ZREMRANGEBYRANK K I I",
    "ZREMRANGEBYSCORE K F F",
    "ZMPOP 1 K MIN COUNT 2",
    "BITFIELD K GET u8 N SET i5 N N",
    "BITFIELD K OVERFLOW SAT INCRBY u4 N N OVERFLOW FAIL INCRBY i3 #N N",
    "BITFIELD_RO K GET i16 N",
    "EXPIREAT K 99999999999 NX",
    "PEXPIREAT K 99999999999999",
    "EXPIRETIME K",
    "PEXPIRETIME K",
    "EXPIRE K -1",
    "TOUCH K K",
    "MOVE K 1",
    "SET K V PXAT 99999999999999 GET",
    "SET K V NX GET",
    "GETEX K EXAT 99999999999",
    "SUBSTR K I I",
    "DECRBY K N",
    "HMSET K M V M V",
    "HSCAN K 0 MATCH m[0-3] COUNT 100",
    "LPUSHX K V",
    "LINSERT K AFTER M V",
    "LPOP K 0",
    "LMPOP 1 K RIGHT",
    "ZRANGEBYSCORE K F F LIMIT N N",
    "ZREVRANGE K I I WITHSCORES",
    "ZLEXCOUNT L [M [M",
    "ZADD L 0 M 0 M",
    "ZRANGEBYLEX L [M [M",
    "ZRANGEBYLEX L - (M LIMIT N N",
    "ZREVRANGEBYLEX L + [M",
    "ZREMRANGEBYLEX L (M (M",
    "ZRANGE L [M (M BYLEX",
    "ZINTERCARD 2 K K LIMIT N",
    "ZUNIONSTORE K 2 K K AGGREGATE MIN",
    "ZINTER 2 K K AGGREGATE SUM WITHSCORES",
    "ZRANGESTORE K K F F BYSCORE LIMIT N N",
    "XADD S X M V",
    "XADD S X M V M V",
    "XADD S N-* M V",
    "XADD S NOMKSTREAM X M V",
    "XADD S MAXLEN N X M V",
    "XADD S MINID X X M V",
    "XLEN S",
    "XRANGE S - +",
    "XRANGE S X X COUNT N",
    "XRANGE S (X +",
    "XREVRANGE S + - COUNT N",
    "XREVRANGE S X X",
    "XDEL S X X",
    "XTRIM S MAXLEN N",
    "XTRIM S MINID X",
    "XREAD COUNT N STREAMS S S X X",
    "XREAD STREAMS S X",
    "XSETID S X",
    "XINFO STREAM S",
    "XINFO GROUPS S",
    "XGROUP CREATE S G X",
    "XGROUP CREATE S G $ MKSTREAM",
    "XGROUP SETID S G X",
    "XGROUP SETID S G X ENTRIESREAD N",
    "XGROUP DESTROY S G",
    "XGROUP CREATECONSUMER S G C",
    "XGROUP DELCONSUMER S G C",
    "XREADGROUP GROUP G C COUNT N STREAMS S >",
    "XREADGROUP GROUP G C STREAMS S >",
    "XREADGROUP GROUP G C NOACK STREAMS S >",
    "XREADGROUP GROUP G C STREAMS S X",
    "XACK S G X X",
    "XPENDING S G",
    "XCLAIM S G C 0 X X",
    "XCLAIM S G C 0 X FORCE JUSTID",
    "XCLAIM S G C 0 X RETRYCOUNT N",
    "XAUTOCLAIM S G C 0 X COUNT N",
    "XAUTOCLAIM S G C 0 X JUSTID",
    "COPY S S REPLACE",
    "DEL S",
    "TYPE S",
    "GET S",
    "XLEN K",
    "COMMAND GETKEYS XREAD STREAMS S S X X",
    "PUBLISH K V",
    "PUBSUB NUMSUB K",
    "OBJECT ENCODING S",
    "SORT K ALPHA",
    "SORT K ALPHA DESC LIMIT 0 3",
    "WATCH K",
    "UNWATCH",
    "MULTI",
    "EXEC",
    "EXEC",
    "DISCARD",
    "SCAN 0 COUNT 1000",
    "HSCAN K 0",
    "SSCAN K 0 COUNT 1000",
    "ZSCAN K 0 COUNT 1000",
    "GET",
    "EVAL return(redis.call('TYPE',KEYS[1])) 1 K",
    "EVAL return(redis.call('INCR',KEYS[1])) 1 K",
    "EVAL return{KEYS[1],ARGV[1],{1.5,false}} 1 K V",
    "PFADD H E E E E E E E E E E E E E E E E E E E E",
    "PFADD H E E E E E E E E E E E E E E E E E E E E",
    "PFADD H M",
    "PFADD H",
    "PFADD K M",
    "PFCOUNT H",
    "PFCOUNT H H K",
    "PFMERGE H H H",
    "PFMERGE H",
    "PFDEBUG ENCODING H",
    "PFDEBUG DECODE H",
    "GET H",
    "DEL H",
    "XADD B 1-* M V",
    "XADD B 1-* M V M V",
    "XADD B 1-* m0 V",
    "XADD B 1-* m0 V",
    "XADD B MAXLEN ~ 100 1-* m0 V",
    "XADD B MINID ~ Z 1-* M V",
    "XADD S MINID ~ X X M V",
    "XTRIM B MAXLEN ~ 120",
    "XTRIM B MINID ~ Z",
    "XTRIM B MINID ~ Z LIMIT 100",
    "XTRIM B MINID Z",
    "XTRIM S MINID ~ X",
    "XDEL B Z Z Z",
    "XLEN B",
    "XRANGE B Z + COUNT N",
    "XREVRANGE B Z - COUNT N",
    "XINFO STREAM S FULL COUNT N",
    "XREAD BLOCK 1 STREAMS S 8-2",
    "XREADGROUP GROUP G C BLOCK 1 STREAMS S >",
    "BLPOP K K 0.001",
    "BRPOP K K 0.001",
    "BLMOVE K K RIGHT LEFT 0.001",
    "BRPOPLPUSH K K 0.001",
    "BLMPOP 0.001 2 K K LEFT COUNT 2",
    "BZPOPMIN K K 0.001",
    "BZPOPMAX K 0.001",
    "BZMPOP 0.001 2 K K MAX COUNT 2",
    "GEOADD P O O M",
    "GEOADD P NX O O M O O M",
    "GEOADD P XX CH O O M",
    "GEOPOS P M M",
    "GEODIST P M M",
    "GEODIST P M M km",
    "GEOHASH P M M",
    "GEOSEARCH P FROMLONLAT O O BYRADIUS 5000 km ASC WITHDIST",
    "GEOSEARCH P FROMMEMBER M BYBOX 4000 9000 km DESC WITHCOORD WITHHASH",
    "GEOSEARCH P FROMLONLAT O O BYRADIUS 9000 km COUNT 2 ASC",
    "GEORADIUS P O O 7000 km WITHDIST ASC",
    "GEORADIUSBYMEMBER P M 3000000 m COUNT N DESC",
    "GEOSEARCHSTORE P P FROMMEMBER M BYRADIUS 4000 mi",
    "ZRANGE P 0 -1 WITHSCORES",
    "DEL P",
    "SORT K LIMIT N N",
    "SORT K DESC",
    "SORT_RO K ALPHA GET key* GET #",
    "SORT K ALPHA STORE K",
    "SWAPDB 0 1",
    "OBJECT ENCODING K",
    "LCS K K LEN",
    "LCS K K IDX MINMATCHLEN 2 WITHMATCHLEN",
    "SPOP K 100",
    "SRANDMEMBER K 100",
    "HRANDFIELD K 100 WITHVALUES",
    "ZRANDMEMBER K 100 WITHSCORES",
    "ZCOUNT K (F +inf",
    "ZRANGEBYSCORE K (F F",
    "ZREVRANGEBYSCORE K F (F LIMIT N I",
    "ZINCRBY K F M",
    "HINCRBYFLOAT K M F",
    "LPOS K M RANK I COUNT N MAXLEN N",
    "BITCOUNT K I I BIT",
    "BITPOS K 0 I I BIT",
    "BITOP NOT K K",
    "BITOP OR K K K K",
    "SETEX K 1000 V",
    "PSETEX K 1000000 V",
    "SETNX K V",
    "ZADD K NX CH F M F M",
    "ZADD K GT LT F M",
    "ZADD K XX INCR F M",
    "EVAL return(redis.call('SET',KEYS[1],ARGV[1])) 1 K V",
    "EVAL return(redis.pcall('LPUSH',KEYS[1],ARGV[1])) 1 K V",
    "EVAL return(redis.call('HGETALL',KEYS[1])) 1 K",
    "EVAL return(redis.call('ZSCORE',KEYS[1],ARGV[1])) 1 K M",
    "EVAL_RO return(redis.call('SET',KEYS[1],1)) 1 K",
    "EVAL redis.setresp(3)return(redis.call('ZSCORE',KEYS[1],ARGV[1])) 1 K M",
    "EVAL return(tonumber(ARGV[1])or(0))*10 1 K F",
    "CLIENT GETNAME",
    "OBJECT FREQ K",
    "COMMAND GETKEYS SORT K STORE K",
    "COMMAND GETKEYS EVAL x N K K",
    "COMMAND GETKEYS ZUNIONSTORE K N K K",
    "COMMAND GETKEYS MSET K V K V"
  };

  /** How many of a hundred commands get an argument too many, too few, or a strange one. */
  private static final int WRONG_PERCENT = 6;

  private static final String[] EDGES = {
    "",
    "0",
    "-1",
    "1.5",
    "nan",
    "inf",
    "-inf",
    "abc",
    " 1",
    "+1",
    "01",
    "1e3",
    "0x10",
    "*",
    "-",
    "+",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1-1-1",
    "(",
    "[",
    "LIMIT",
    "COUNT",
    "WITHSCORES",
    "NX",
    "XX",
    "GET",
    "\r\n",
    "\u0000",
    "\u00ff",
    "key1",
    "m1"
  };

  private static final String[] VALUES = {
    "", "x", "abc", "10", "3.5", "-1", "hello", "01", "x".repeat(70)
  };
  private static final String[] SCORES = {
    "0",
    "1",
    "2.5",
    "-3",
    "1e3",
    "0.1",
    "inf",
    "-inf",
    "7.25",
    "100",
    "-0",
    "1e-7",
    "3.0",
    "1e17",
    "123456789012345678",
    "0.30000000000000004",
    "1e21"
  };
  private static final Set<String> UNORDERED =
      Set.of(
          "KEYS",
          "SMEMBERS",
          "SINTER",
          "SUNION",
          "SDIFF",
          "SCAN",
          "SSCAN",
          "HGETALL",
          "HKEYS",
          "HVALS",
          "HSCAN",
          "ZSCAN",
          "SPOP",
          "SRANDMEMBER",
          "HRANDFIELD",
          "ZRANDMEMBER",
          "EXEC");

  /** What only a server with times to live of fields has. */
  private static final String[] FIELD_TEMPLATES = {
    "HEXPIRE K 1000 FIELDS 1 M",
    "HEXPIRE K 500 LT FIELDS 2 M M",
    "HPEXPIREAT K 69999999999999 XX FIELDS 1 M",
    "HEXPIREAT K 69999999999 GT FIELDS 2 M M",
    "HEXPIRE K 0 FIELDS 1 M",
    "HPEXPIREAT K 69999999999998 NX FIELDS 1 M",
    "HEXPIRETIME K FIELDS 2 M M",
    "HPERSIST K FIELDS 2 M M",
    "HGETEX K FIELDS 2 M M",
    "HGETEX K EXAT 69999999999 FIELDS 1 M",
    "HGETEX K PERSIST FIELDS 1 M",
    "HGETEX K PXAT 1 FIELDS 1 M",
    "HGETDEL K FIELDS 2 M M",
    "HSETEX K FIELDS 1 M V",
    "HSETEX K FNX EXAT 69999999999 FIELDS 2 M V M N",
    "HSETEX K FXX KEEPTTL FIELDS 1 M N",
    "HSETEX K PXAT 1 FIELDS 1 M V",
    "HSCAN K 0 NOVALUES COUNT 100"
  };

  private final Random random;
  private final String[] templates;

  /** Those that the version has. With ENTRIESREAD newer servers count otherwise; that is listed. */
  RandomCommands(long seed, Version version) {
    random = new Random(seed);
    boolean fields = version == Version.REDIS_8_0;
    templates =
        Stream.concat(Stream.of(TEMPLATES), fields ? Stream.of(FIELD_TEMPLATES) : Stream.empty())
            .filter(words -> version == Version.REDIS_7_0 || !words.contains("ENTRIESREAD"))
            .toArray(String[]::new);
  }

  List<String> next() {
    List<String> words = new ArrayList<>();
    for (String word : templates[random.nextInt(templates.length)].split(" ")) {
      words.add(fill(word));
    }
    if (random.nextInt(100) < WRONG_PERCENT && mayBeWrong(words)) {
      makeWrong(words);
    }
    return words;
  }

  /**
   * Not what waits, or what a wrong argument turns into a wait or a huge string; nor the sorted
   * sets whose scores have to be equal, nor what could ask for an id made of the time, for a cursor
   * of the other server, or for some members where it now asks for all.
   */
  private static boolean mayBeWrong(List<String> words) {
    String name = words.get(0);
    boolean waits = name.matches("B[LRZ].*") || words.contains("BLOCK");
    return !waits
        && !Set.of(
                "EVAL",
                "EVAL_RO",
                "SWAPDB",
                "SETBIT",
                "SETRANGE",
                "BITFIELD",
                "MOVE",
                "XCLAIM",
                "XADD",
                "SPOP",
                "SRANDMEMBER",
                "HRANDFIELD",
                "ZRANDMEMBER",
                "SCAN")
            .contains(name)
        && words.stream().noneMatch(word -> word.startsWith("lex") || word.startsWith("place"));
  }

  private void makeWrong(List<String> words) {
    int at = 1 + random.nextInt(words.size());
    switch (random.nextInt(3)) {
      case 0 -> words.add(at, EDGES[random.nextInt(EDGES.length)]);
      case 1 -> {
        if (at < words.size()) {
          words.remove(at);
        }
      }
      default -> {
        if (at < words.size()) {
          words.set(at, EDGES[random.nextInt(EDGES.length)]);
        }
      }
    }
  }

  private String fill(String word) {
    return switch (word) {
      case "K" -> "key" + random.nextInt(8);
      case "L" -> "lex" + random.nextInt(2);
      case "S" -> "stream" + random.nextInt(3);
      case "G" -> "g" + random.nextInt(2);
      case "H" -> "hll" + random.nextInt(3);
      case "E" -> "" + random.nextInt(random.nextInt(100) < 50 ? 100 : 100_000);
      case "B" -> "big" + random.nextInt(2);
      case "Z" -> "1-" + random.nextInt(400);
      case "P" -> "place" + random.nextInt(2);
      case "O" -> "" + (random.nextInt(160) - 80) + (random.nextBoolean() ? "" : ".123456");
      case "(F" -> "(" + SCORES[random.nextInt(SCORES.length)];
      case "C" -> "c" + random.nextInt(2);
      case "X" -> random.nextInt(9) + (random.nextBoolean() ? "-" + random.nextInt(3) : "");
      case "(X" -> "(" + random.nextInt(9) + "-" + random.nextInt(3);
      case "#N" -> "#" + random.nextInt(12);
      case "N-*" -> random.nextInt(9) + "-*";
      case "M" -> "m" + random.nextInt(6);
      case "[M" -> "[m" + random.nextInt(6);
      case "(M" -> "(m" + random.nextInt(6);
      case "V" -> VALUES[random.nextInt(VALUES.length)];
      case "N" -> "" + random.nextInt(12);
      case "I" -> "" + (random.nextInt(9) - 4);
      case "F" -> SCORES[random.nextInt(SCORES.length)];
      default -> word;
    };
  }

  static boolean isOrdered(List<String> words) {
    return !UNORDERED.contains(words.get(0)) && !words.get(1 % words.size()).contains("HGETALL");
  }
}
