// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.junit.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What concerns one connection and others: tracking, events, permissions, pauses, streams. */
@Timeout(180)
@EmbeddedRedis(manualClock = true)
class SessionFeaturesTest {
  private static byte[] request(String... words) {
    return RawConnection.request(RawConnection.args(words));
  }

  @Test
  void tracking_tellsOfAChangeOnce_afterTheRead(EmbeddedServer server) throws Exception {
    try (RawConnection cache = new RawConnection(server.port());
        RawConnection writer = new RawConnection(server.port())) {
      cache.call("HELLO", "3");
      assertThat(cache.call("CLIENT", "TRACKING", "ON")).isEqualTo("+OK\r\n");
      cache.call("GET", "k");
      writer.call("SET", "k", "1");
      assertThat(cache.read()).isEqualTo(">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n");
      writer.call("SET", "k", "2");
      assertThat(cache.call("PING")).isEqualTo("+PONG\r\n");
      cache.call("GET", "k");
      writer.call("FLUSHALL");
      assertThat(cache.read()).isEqualTo(">2\r\n$10\r\ninvalidate\r\n_\r\n");
    }
  }

  @Test
  void tracking_expiryAndBroadcastAndNoLoop(EmbeddedServer server, EmbeddedClock clock)
      throws Exception {
    try (RawConnection cache = new RawConnection(server.port());
        RawConnection all = new RawConnection(server.port())) {
      cache.call("HELLO", "3");
      all.call("HELLO", "3");
      cache.call("CLIENT", "TRACKING", "ON", "NOLOOP");
      all.call("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "u:");
      cache.call("SET", "u:1", "a", "EX", "10");
      assertThat(all.read()).contains("u:1");
      cache.call("GET", "u:1");
      cache.call("SET", "u:1", "b", "EX", "10");
      assertThat(all.read()).contains("u:1");
      assertThat(cache.call("GET", "u:1")).isEqualTo("$1\r\nb\r\n");
      clock.advance(Duration.ofSeconds(11));
      assertThat(cache.read()).contains("invalidate").contains("u:1");
      assertThat(all.read()).contains("u:1");
      cache.call("SET", "other", "b");
      assertThat(all.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void tracking_ofAScriptThatReads_isOfTheKeysItWasGiven(EmbeddedServer server) throws Exception {
    try (RawConnection cache = new RawConnection(server.port());
        RawConnection writer = new RawConnection(server.port())) {
      cache.call("HELLO", "3");
      cache.call("CLIENT", "TRACKING", "ON");
      cache.call("EVAL", "return redis.call('GET', KEYS[1])", "2", "a", "b");
      writer.call("MSET", "a", "1", "b", "1");
      assertThat(cache.read()).isEqualTo(">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n");
      assertThat(cache.read()).isEqualTo(">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nb\r\n");
      cache.call("EVAL_RO", "return 1", "1", "a");
      writer.call("SET", "a", "2");
      assertThat(cache.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void tracking_tellsOfKeysItForgets_whenFewerAreToBeRemembered(EmbeddedServer server)
      throws Exception {
    try (RawConnection cache = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      cache.call("HELLO", "3");
      cache.call("CLIENT", "TRACKING", "ON");
      cache.call("MGET", "a", "b", "c");
      other.call("CONFIG", "SET", "tracking-table-max-keys", "1");
      assertThat(cache.read()).contains("invalidate").endsWith("$1\r\na\r\n");
      assertThat(cache.read()).contains("invalidate").endsWith("$1\r\nb\r\n");
      other.call("CONFIG", "SET", "tracking-table-max-keys", "1000000");
      assertThat(cache.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void tracking_ofAKeyThatIsEvicted_isToldBeforeTheReply(EmbeddedServer server) throws Exception {
    try (RawConnection cache = new RawConnection(server.port())) {
      cache.call("HELLO", "3");
      cache.call("CLIENT", "TRACKING", "ON");
      cache.call("CONFIG", "SET", "maxmemory-policy", "volatile-random", "maxmemory", "1100000");
      cache.call("SETEX", "mortal", "10000", "x");
      cache.call("GET", "mortal");
      cache.call("SETBIT", "big", "1600000", "0");
      assertThat(cache.call("GETBIT", "big", "0")).contains("invalidate").contains("mortal");
      assertThat(cache.read()).isEqualTo(":0\r\n");
      cache.call("CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction");
    }
  }

  @Test
  void debugProtocol_attribute_goesBeforeTheReplyInResp3(EmbeddedServer server) throws Exception {
    String reply = "$39\r\nSome real reply following the attribute\r\n";
    try (RawConnection raw = new RawConnection(server.port())) {
      assertThat(raw.call("DEBUG", "PROTOCOL", "attrib")).isEqualTo(reply);
      raw.call("HELLO", "3");
      assertThat(raw.call("DEBUG", "PROTOCOL", "attrib")).isEqualTo("|1\r\n");
      assertThat(raw.read()).isEqualTo("$14\r\nkey-popularity\r\n");
      assertThat(raw.read()).isEqualTo("*2\r\n$7\r\nkey:123\r\n:90\r\n");
      assertThat(raw.read()).isEqualTo(reply);
      raw.call("DEBUG", "SET-DISABLE-DENY-SCRIPTS", "1");
      String script = "redis.setresp(3) return redis.call('DEBUG', 'PROTOCOL', 'attrib')";
      assertThat(raw.call("EVAL", script, "0")).as("scripts see no attributes").isEqualTo(reply);
      raw.call("DEBUG", "SET-DISABLE-DENY-SCRIPTS", "0");
    }
  }

  @Test
  void tracking_redirectToSubscriber_inResp2(EmbeddedServer server) throws Exception {
    try (RawConnection cache = new RawConnection(server.port());
        RawConnection listener = new RawConnection(server.port())) {
      String id = listener.call("CLIENT", "ID").substring(1).strip();
      listener.call("SUBSCRIBE", "__redis__:invalidate");
      assertThat(cache.call("CLIENT", "TRACKING", "ON", "REDIRECT", id)).isEqualTo("+OK\r\n");
      cache.call("GET", "k");
      cache.call("SET", "k", "1");
      assertThat(listener.read())
          .isEqualTo("*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n*1\r\n$1\r\nk\r\n");
    }
  }

  @Test
  void keyspaceEvents_tellWhatHappenedToWhichKey(EmbeddedServer server, EmbeddedClock clock)
      throws Exception {
    try (RawConnection listener = new RawConnection(server.port());
        RawConnection raw = new RawConnection(server.port())) {
      raw.call("CONFIG", "SET", "notify-keyspace-events", "KEA");
      listener.call("PSUBSCRIBE", "__key*__:*");
      raw.call("SET", "k", "v", "EX", "5");
      assertThat(listener.read()).contains("__keyspace@0__:k").contains("$3\r\nset\r\n");
      assertThat(listener.read()).contains("__keyevent@0__:set").endsWith("$1\r\nk\r\n");
      assertThat(listener.read()).contains("__keyspace@0__:k").contains("expire");
      assertThat(listener.read()).contains("__keyevent@0__:expire");
      clock.advance(Duration.ofSeconds(6));
      assertThat(listener.read()).contains("$7\r\nexpired\r\n");
      assertThat(listener.read()).contains("__keyevent@0__:expired");
      raw.call("RPUSH", "l", "a");
      assertThat(listener.read()).contains("rpush");
      listener.read();
      raw.call("LPOP", "l");
      assertThat(listener.read()).contains("lpop");
      listener.read();
      assertThat(listener.read()).contains("$3\r\ndel\r\n");
    }
  }

  @Test
  void aclUser_mayOnlyWhatItsRulesSay(EmbeddedServer server) throws Exception {
    try (RawConnection admin = new RawConnection(server.port());
        RawConnection user = new RawConnection(server.port())) {
      admin.call("ACL", "SETUSER", "bob", "on", ">pw", "~app:*", "+@read", "+set", "-keys");
      assertThat(user.call("AUTH", "bob", "wrong")).startsWith("-WRONGPASS");
      assertThat(user.call("AUTH", "bob", "pw")).isEqualTo("+OK\r\n");
      assertThat(user.call("SET", "app:1", "v")).isEqualTo("+OK\r\n");
      assertThat(user.call("GET", "app:1")).isEqualTo("$1\r\nv\r\n");
      assertThat(user.call("GET", "other")).startsWith("-NOPERM");
      assertThat(user.call("KEYS", "*")).startsWith("-NOPERM");
      assertThat(user.call("DEL", "app:1")).startsWith("-NOPERM");
      assertThat(admin.call("ACL", "LOG")).contains("bob");
      assertThat(admin.call("ACL", "DELUSER", "bob")).isEqualTo(":1\r\n");
      assertThat(user.isClosedByServer()).isTrue();
    }
  }

  @Test
  void pause_holdsWritesUntilItsTimeIsOver(EmbeddedServer server, EmbeddedClock clock)
      throws Exception {
    try (RawConnection raw = new RawConnection(server.port());
        RawConnection writer = new RawConnection(server.port())) {
      raw.call("CLIENT", "PAUSE", "100000", "WRITE");
      assertThat(writer.call("SET", "k")).startsWith("-ERR wrong number of arguments");
      writer.send(request("SET", "k", "v"));
      assertThat(raw.call("GET", "k")).isEqualTo("$-1\r\n");
      clock.advance(Duration.ofSeconds(101));
      assertThat(writer.read()).isEqualTo("+OK\r\n");
      raw.call("CLIENT", "PAUSE", "100000", "WRITE");
      writer.send(request("INCR", "n"));
      raw.call("CLIENT", "UNPAUSE");
      assertThat(writer.read()).isEqualTo(":1\r\n");
    }
  }

  @Test
  void pauseOfWrites_lastsForScriptsThatMayWriteOnly_andCountsWhoWaits(EmbeddedServer server)
      throws Exception {
    try (RawConnection raw = new RawConnection(server.port());
        RawConnection writer = new RawConnection(server.port())) {
      raw.call("CLIENT", "PAUSE", "100000", "WRITE");
      assertThat(raw.call("EVAL", "#!lua flags=no-writes\nreturn 1", "0")).isEqualTo(":1\r\n");
      writer.send(request("EVAL", "return 2", "0"));
      awaitBlocked(raw, 1);
      raw.call("CLIENT", "UNPAUSE");
      assertThat(writer.read()).isEqualTo(":2\r\n");
      awaitBlocked(raw, 0);
    }
  }

  @Test
  void pauseOfWrites_letsTransactionsPass_whoseScriptsDoNotWrite(EmbeddedServer server)
      throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      raw.call("CLIENT", "PAUSE", "100000", "WRITE");
      raw.call("MULTI");
      raw.call("EVAL", "#!lua flags=no-writes\nreturn 12", "0");
      assertThat(raw.call("EXEC")).isEqualTo("*1\r\n:12\r\n");
      raw.call("CLIENT", "UNPAUSE");
    }
  }

  @Test
  void errorsOfScripts_countOnce(EmbeddedServer server) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      raw.call("CONFIG", "RESETSTAT");
      raw.call("EVAL", "return redis.call('SELECT', 99)", "0");
      raw.call("EVAL", "return redis.error_reply('MINE it is')", "0");
      assertThat(raw.call("INFO", "stats")).contains("total_error_replies:2\r\n");
      assertThat(raw.call("INFO", "errorstats"))
          .contains("errorstat_ERR:count=1\r\n")
          .contains("errorstat_MINE:count=1\r\n");
      assertThat(raw.call("INFO", "commandstats")).contains("rejected_calls=0,failed_calls=2");
    }
  }

  @Test
  void streamReaders_waitForEntries(EmbeddedServer server, EmbeddedClock clock) throws Exception {
    try (RawConnection raw = new RawConnection(server.port());
        RawConnection reader = new RawConnection(server.port());
        RawConnection consumer = new RawConnection(server.port())) {
      raw.call("XGROUP", "CREATE", "s", "g", "$", "MKSTREAM");
      reader.send(request("XREAD", "BLOCK", "0", "STREAMS", "s", "$"));
      consumer.send(request("XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", "s", ">"));
      awaitBlocked(raw, 2);
      raw.call("XADD", "s", "7-1", "f", "v");
      String entry = "*2\r\n$3\r\n7-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n";
      assertThat(reader.read()).isEqualTo("*1\r\n*2\r\n$1\r\ns\r\n*1\r\n" + entry);
      assertThat(consumer.read()).isEqualTo("*1\r\n*2\r\n$1\r\ns\r\n*1\r\n" + entry);
      assertThat(raw.call("XPENDING", "s", "g")).startsWith("*4\r\n:1\r\n");
      consumer.send(request("XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", "s", ">"));
      awaitBlocked(raw, 1);
      raw.call("XGROUP", "DESTROY", "s", "g");
      assertThat(consumer.read()).startsWith("-NOGROUP");
      reader.send(request("XREAD", "BLOCK", "50000", "STREAMS", "s", "$"));
      awaitBlocked(raw, 1);
      clock.advance(Duration.ofSeconds(51));
      assertThat(reader.read()).isEqualTo("*-1\r\n");
    }
  }

  private static void awaitBlocked(RawConnection raw, int clients) throws Exception {
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (!raw.call("INFO", "clients").contains("blocked_clients:" + clients)) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not " + clients + " blocked clients within 10 s");
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void functions_keepTheirStateAndGoToReplicas(@EmbeddedRedis(replicas = 1) EmbeddedServer server)
      throws Exception {
    EmbeddedNode replica = server.nodes().get(1);
    try (RawConnection raw = new RawConnection(server.port());
        RawConnection copy = new RawConnection(replica.port())) {
      String code =
          "#!lua name=lib\nlocal n = 0\n"
              + "redis.register_function('count', function() n = n + 1 return n end)\n"
              + "redis.register_function('put', function(k, a)"
              + " return redis.call('SET', k[1], a[1]) end)";
      assertThat(raw.call("FUNCTION", "LOAD", code)).isEqualTo("$3\r\nlib\r\n");
      assertThat(raw.call("FCALL", "count", "0")).isEqualTo(":1\r\n");
      assertThat(raw.call("EVAL", "return KEYS[1]", "1", "x")).isEqualTo("$1\r\nx\r\n");
      assertThat(raw.call("FCALL", "count", "0")).isEqualTo(":2\r\n");
      assertThat(raw.call("FCALL", "put", "1", "k", "v")).isEqualTo("+OK\r\n");
      assertThat(copy.call("GET", "k")).isEqualTo("$1\r\nv\r\n");
      assertThat(copy.call("FUNCTION", "LIST")).contains("lib");
      assertThat(copy.call("FCALL", "put", "1", "k", "v")).startsWith("-READONLY");
    }
  }

  @Test
  void channelTakenFromAUser_endsTheConnectionsThatListenThere() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection admin = new RawConnection(server.port());
        RawConnection kept = new RawConnection(server.port());
        RawConnection ended = new RawConnection(server.port())) {
      admin.call("ACL", "SETUSER", "bob", "on", "nopass", "+@all", "&a", "&b");
      kept.call("AUTH", "bob", "x");
      kept.call("SUBSCRIBE", "a");
      ended.call("AUTH", "bob", "x");
      ended.call("SUBSCRIBE", "b");
      assertThat(admin.call("ACL", "SETUSER", "bob", "resetchannels", "&a")).isEqualTo("+OK\r\n");
      assertThat(ended.isClosedByServer()).isTrue();
      assertThat(kept.call("PING")).contains("pong");
    }
  }

  @Test
  void keyPermissions_followWhatTheOptionsOfACommandDo() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection admin = new RawConnection(server.port());
        RawConnection raw = new RawConnection(server.port())) {
      admin.call("ACL", "SETUSER", "bob", "on", "nopass", "+@all", "%R~r*", "%W~w*");
      raw.call("AUTH", "bob", "x");
      assertThat(raw.call("STRLEN", "w")).isEqualTo(":0\r\n");
      assertThat(raw.call("EXISTS", "r")).isEqualTo(":0\r\n");
      assertThat(raw.call("EXISTS", "other")).startsWith("-NOPERM");
      assertThat(raw.call("SET", "w", "v")).isEqualTo("+OK\r\n");
      assertThat(raw.call("SET", "w", "v", "GET")).startsWith("-NOPERM");
      assertThat(raw.call("BITFIELD", "r", "GET", "u8", "0")).isEqualTo("*1\r\n:0\r\n");
      assertThat(raw.call("BITFIELD", "r", "SET", "u8", "0", "1")).startsWith("-NOPERM");
    }
  }

  @Test
  void info_countsFailedAndRejectedCalls() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection raw = new RawConnection(server.port())) {
      raw.call("SET", "k", "v");
      raw.call("LPUSH", "k", "v");
      raw.call("LPUSH", "k");
      raw.call("LPUSH", "l", "v");
      assertThat(raw.call("INFO", "commandstats"))
          .contains(
              "cmdstat_lpush:calls=2,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=1");
      assertThat(raw.call("INFO", "errorstats"))
          .contains("errorstat_ERR:count=1\r\nerrorstat_WRONGTYPE:count=1\r\n");
    }
  }
}
