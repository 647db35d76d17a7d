// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.junit.EmbeddedRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@EmbeddedRedis(scope = EmbeddedRedis.Scope.CLASS)
class FaultsTest {
  private static byte[] request(String... words) {
    return RawConnection.request(RawConnection.args(words));
  }

  @Test
  void latency_delaysItsConnectionOnly_andKeepsTheOrder(EmbeddedServer server) throws Exception {
    try (RawConnection slow = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      // So long that the other connection is through, however busy the machine is.
      server.faults().latency("get", Duration.ofSeconds(2));
      slow.send(request("GET", "a"));
      slow.send(request("SET", "a", "1"));
      assertThat(other.call("SET", "b", "1")).isEqualTo("+OK\r\n");
      assertThat(other.call("EXISTS", "a")).isEqualTo(":0\r\n");
      assertThat(slow.read()).isEqualTo("$-1\r\n");
      assertThat(slow.read()).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void errorOn_lastsUntilCleared(EmbeddedServer server) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      server.faults().errorOn("client|id", "ERR no id today");
      assertThat(raw.call("CLIENT", "ID")).isEqualTo("-ERR no id today\r\n");
      assertThat(raw.call("CLIENT", "ID")).isEqualTo("-ERR no id today\r\n");
      server.faults().clear();
      assertThat(raw.call("CLIENT", "ID")).startsWith(":");
    }
  }

  @Test
  void on_breaksOneNodeAlone() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(2, 0).start();
        RawConnection broken = new RawConnection(server.nodes().get(0).port());
        RawConnection other = new RawConnection(server.nodes().get(1).port())) {
      server.faults().on(server.nodes().get(0)).errorOn("ping", "ERR broken");
      assertThat(broken.call("PING")).isEqualTo("-ERR broken\r\n");
      assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
      server.faults().on(server.nodes().get(1)).clear();
      assertThat(broken.call("PING")).isEqualTo("-ERR broken\r\n");
      server.faults().clear();
      assertThat(broken.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void onCommand_answersInTheServersPlace(EmbeddedServer server) throws Exception {
    server.data().set("real", "1");
    try (RawConnection raw = new RawConnection(server.port())) {
      server
          .faults()
          .onCommand(
              "get",
              call ->
                  switch (call.arguments().get(0)) {
                    case "text" -> "häh";
                    case "bytes" -> call.bytes(0);
                    case "nil" -> null;
                    case "status" -> call.status("FINE");
                    case "error" -> call.error("TRYAGAIN later");
                    case "list" -> List.of(1, "two", List.of(3L));
                    case "broken" -> throw new IllegalStateException("a bug of the test");
                    default -> call.proceed();
                  });
      assertThat(raw.call("GET", "text")).startsWith("$4\r\n");
      assertThat(raw.call("GET", "bytes")).isEqualTo("$5\r\nbytes\r\n");
      assertThat(raw.call("GET", "nil")).isEqualTo("$-1\r\n");
      assertThat(raw.call("GET", "status")).isEqualTo("+FINE\r\n");
      assertThat(raw.call("GET", "error")).isEqualTo("-TRYAGAIN later\r\n");
      assertThat(raw.call("GET", "list")).isEqualTo("*3\r\n:1\r\n$3\r\ntwo\r\n*1\r\n:3\r\n");
      assertThat(raw.call("GET", "broken")).startsWith("-ERR").contains("a bug of the test");
      assertThat(raw.call("GET", "real")).isEqualTo("$1\r\n1\r\n");
      assertThat(raw.call("EVAL", "return redis.call('GET', 'status').ok", "0"))
          .isEqualTo("$4\r\nFINE\r\n");
      server.faults().clear();
      assertThat(raw.call("GET", "text")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void onCommand_knowsItsNodeAndSubcommand(EmbeddedServer server) throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    try (RawConnection raw = new RawConnection(server.port())) {
      server
          .faults()
          .onCommand(
              "*",
              call -> {
                seen.add(call.node().port() + " " + call.name() + " " + call.arguments());
                return call.proceed();
              });
      raw.call("CLIENT", "SETNAME", "me");
    }
    assertThat(seen).containsExactly(server.port() + " client|setname [SETNAME, me]");
  }

  @Test
  void droppedReply_commandHasRun_nextReplyIsThatOfTheNextCommand(EmbeddedServer server)
      throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      server.faults().dropReplies("incr", 1);
      raw.send(request("INCR", "n"));
      assertThat(raw.call("INCR", "n")).isEqualTo(":2\r\n");
    }
  }

  @Test
  void cutAfterBytes_endsInTheMiddleOfAReply(EmbeddedServer server) throws Exception {
    server.data().set("k", "0123456789");
    try (RawConnection raw = new RawConnection(server.port())) {
      server.faults().cutAfterBytes(20);
      assertThat(raw.call("GET", "k")).isEqualTo("$10\r\n0123456789\r\n");
      assertThatThrownBy(() -> raw.call("GET", "k")).isInstanceOf(IOException.class);
    }
    server.faults().clear();
    try (RawConnection raw = new RawConnection(server.port())) {
      assertThat(raw.call("GET", "k")).startsWith("$10");
    }
  }

  @Test
  void loadingAndReadOnly_refuseAsRedisDoes(EmbeddedServer server) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      server.faults().loading(true);
      assertThat(raw.call("GET", "k"))
          .isEqualTo("-LOADING Redis is loading the dataset in memory\r\n");
      assertThat(raw.call("INFO", "server")).startsWith("$");
      server.faults().loading(false);
      server.faults().readOnly(true);
      assertThat(raw.call("SET", "k", "v"))
          .isEqualTo("-READONLY You can't write against a read only replica.\r\n");
      assertThat(raw.call("GET", "k")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void pauseReading_answersNothing_thenEverything(EmbeddedServer server) throws Exception {
    try (RawConnection before = new RawConnection(server.port())) {
      server.faults().pauseReading(true);
      before.send(request("SET", "k", "v"));
      try (RawConnection during = new RawConnection(server.port())) {
        during.send(request("GET", "k"));
        assertThat(server.data().exists("k")).isFalse();
        server.faults().pauseReading(false);
        assertThat(before.read()).isEqualTo("+OK\r\n");
        assertThat(during.read()).startsWith("$");
      }
    }
  }

  @Test
  void commandsThatDoNotExist_areRefused(EmbeddedServer server) {
    assertThatThrownBy(() -> server.faults().errorOn("gte", "ERR x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the embedded server has no command 'gte'; * stands for any");
    assertThatThrownBy(() -> server.faults().failNext("gte", 1, "ERR x"))
        .hasMessageContaining("'gte'");
    assertThatThrownBy(() -> server.faults().latency("client|gte", Duration.ofSeconds(1)))
        .hasMessageContaining("'client|gte'");
    assertThatThrownBy(() -> server.faults().dropReplies("config", 1))
        .hasMessage("'config' runs by its subcommands only, such as config|get");
    server.faults().errorOn("*", "ERR x");
    server.faults().errorOn("COMMAND", "ERR x");
  }

  @Test
  void wrongArguments_areRefused(EmbeddedServer server) {
    assertThatThrownBy(() -> server.faults().failNext("get", 0, "ERR x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
    assertThatThrownBy(() -> server.faults().errorOn("get", ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> server.faults().latency("get", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> server.faults().cutAfterBytes(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
