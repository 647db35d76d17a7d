// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server URI means, what is wrong with one, and that no password is ever shown. */
class ServerUrisTest {

  /** Shorter parts occur in any text by chance. */
  private static final int TELLING_CHARS = 4;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis://h | redis://h:6379",
        "redis://h:7000/3 | redis://h:7000/3",
        "rediss://user:pw@h:7000 | rediss://h:7000",
        "redis://a:1,b:2 | redis://a:1, redis://b:2",
        "redis://cache_1:7000 | redis://cache_1:7000",
        "redis://[::1]:7000 | redis://[::1]:7000",
        "redis-sentinel://a,b:7000#main | redis-sentinel://a:26379,b:7000#main",
        "redis-socket:///run/redis.sock | redis-socket:///run/redis.sock",
      })
  void whatIsGiven_isUnderstood(String text, String shown) {
    assertThat(ServerUris.shown(ServerUris.parse(text))).isEqualTo(shown);
  }

  @Test
  void credentials_mayHaveAnyCharacters() {
    assertThat(credentials("redis://:Tr0ub^dor@h")).isEqualTo("null Tr0ub^dor");
    assertThat(credentials("redis://user:a:b%40c%2Fd@h,i")).isEqualTo("user a:b@c/d");
    assertThat(credentials("redis://alone@h")).isEqualTo("null alone");
    assertThat(credentials("redis://:%C3%BC+%20@h")).isEqualTo("null ü+ ");
    assertThat(credentials("redis-sentinel://:pw@h#main")).isEqualTo("null pw");
  }

  private static String credentials(String text) {
    RedisURI uri = ServerUris.parse(text).get(0);
    RedisCredentials found = uri.getCredentialsProvider().resolveCredentials().block();
    return found.getUsername() + " " + new String(found.getPassword());
  }

  @Test
  void parameters_areApplied() {
    RedisURI uri = ServerUris.parse("redis://h?timeout=3s&db=2&clientName=me").get(0);
    assertThat(uri.getTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(uri.getDatabase()).isEqualTo(2);
    assertThat(uri.getClientName()).isEqualTo("me");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "h:6379 | has no scheme",
        "http://h | begins with http://",
        "redis:// | names no host",
        "redis://h, | 2nd host",
        "redis://h:port | 1st host",
        "redis://h:70000 | 1st host",
        "redis://:pw | ends before @host",
        "redis://:p@w@h | write @ in a password as %40",
        "redis://:p/w@h | write / in a password as %2F",
        "redis://:p?w@h | write ? in a password as %3F",
        "redis://:p#w@h | write # in a password as %23",
        "redis://:50%@h | write % in a password as %25",
        "redis://h/one | database is a number",
        "redis://h?tiemout=3s | Unknown option tiemout",
        "redis://h?timeout=soon | timeout=",
        "redis://h?verifyPeer=maybe | verifyPeer=",
        "redis-sentinel://h | name of the master",
      })
  void wrongUri_saysWhatToDo(String text, String reason) {
    assertThatThrownBy(() -> ServerUris.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Not a server URI: ")
        .hasMessageContaining(reason)
        .hasNoCause();
  }

  @Test
  void nullUri_saysSo() {
    assertThatThrownBy(() -> ServerUris.parse(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("it is null; write redis://host:port");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://:%s@h",
        "redis://user:%s@h:6379",
        "redis://%s@h",
        "redis://:%s@a,b:70000",
        "redis://:%s@h?tiemout=3s",
        "redis://:%s@h/one",
        "redis://:%s@",
        "redis://:%s",
        "redis://:%sh:6379",
        "redis-sentinel://:%s@h",
        "redis-sentinel://:%s@a,b#main",
        "redis-socket://:%s@/run/redis.sock",
        "redis+unknown://:%s@h",
        ":%s@h",
        "%s",
      })
  void noPartOfAPassword_isEverShown(String form) {
    Random random = new Random(form.hashCode());
    for (int i = 0; i < 2_000; i++) {
      String password = password(random);
      boolean encoded = random.nextBoolean();
      String written = encoded ? URLEncoder.encode(password, StandardCharsets.UTF_8) : password;
      assertNothingIsShown(form.replace("%s", written), password, written);
    }
  }

  private static void assertNothingIsShown(String text, String password, String written) {
    String said;
    try {
      List<RedisURI> uris = ServerUris.parse(text);
      if (written.contains("@")) {
        // It may well be a shorter password and a host.
        return;
      }
      said = all(ConnectFailures.explain(uris, Duration.ofSeconds(1), new IllegalStateException()));
    } catch (IllegalArgumentException e) {
      said = all(e);
    }
    for (String secret : List.of(password, written)) {
      for (int from = 0; from + TELLING_CHARS <= secret.length(); from++) {
        assertThat(said).doesNotContain(secret.substring(from, from + TELLING_CHARS));
      }
    }
  }

  private static String all(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  /** Of any bytes, half of them those that mean something in a URI. */
  private static String password(Random random) {
    StringBuilder password = new StringBuilder();
    int length = 8 + random.nextInt(24);
    while (password.length() < length) {
      password.append(
          random.nextBoolean()
              ? "@:/?#%&=,[] ^$\\\"'<>|{}`+~;!\t\n".charAt(random.nextInt(29))
              : (char) (1 + random.nextInt(255)));
    }
    return password.toString();
  }
}
