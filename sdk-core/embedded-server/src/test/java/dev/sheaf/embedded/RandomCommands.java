package dev.sheaf.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

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
    "EVAL return{KEYS[1],ARGV[1],{1.5,false}} 1 K V"
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

  private static final String[] VALUES = {"", "x", "abc", "10", "3.5", "-1", "hello", "01"};
  private static final String[] SCORES = {
    "0", "1", "2.5", "-3", "1e3", "0.1", "inf", "-inf", "7.25", "100"
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
          "EXEC");

  private final Random random;

  RandomCommands(long seed) {
    random = new Random(seed);
  }

  List<String> next() {
    List<String> words = new ArrayList<>();
    for (String word : TEMPLATES[random.nextInt(TEMPLATES.length)].split(" ")) {
      words.add(fill(word));
    }
    if (random.nextInt(100) < WRONG_PERCENT && mayBeWrong(words)) {
      makeWrong(words);
    }
    return words;
  }

  /**
   * Not what waits, or what a wrong argument turns into a wait or a huge string; nor the sorted
   * sets whose scores have to be equal, nor what could ask for an id made of the time, or for a
   * cursor of the other server.
   */
  private static boolean mayBeWrong(List<String> words) {
    return !Set.of("EVAL", "SETBIT", "SETRANGE", "BITFIELD", "MOVE", "XCLAIM", "XADD", "SCAN")
            .contains(words.get(0))
        && words.stream().noneMatch(word -> word.startsWith("lex"));
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
    return !UNORDERED.contains(words.get(0));
  }
}
