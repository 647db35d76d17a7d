// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestDecoderTest {
  private static final String STREAM =
      "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\na\r\nbc\r\n"
          + "PING\r\n"
          + "\r\n"
          + "*0\r\n"
          + "*-1\r\n"
          + "*2\r\n$3\r\nGET\r\n$0\r\n\r\n"
          + "SET \"a b\\x41\\n\" 'it\\'s'\n";
  private static final List<List<String>> REQUESTS =
      List.of(
          List.of("SET", "k", "a\r\nbc"),
          List.of("PING"),
          List.of("GET", ""),
          List.of("SET", "a bA\n", "it's"));

  private static RequestDecoder decoder() {
    RequestDecoder decoder = new RequestDecoder(new BufferPool());
    decoder.trusted(true);
    return decoder;
  }

  private static void feed(RequestDecoder decoder, String text) {
    decoder.feed(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
  }

  private static void drain(RequestDecoder decoder, List<List<String>> found)
      throws ProtocolException {
    for (byte[][] request = decoder.next(); request != null; request = decoder.next()) {
      List<String> words = new ArrayList<>();
      for (byte[] word : request) {
        words.add(new String(word, StandardCharsets.ISO_8859_1));
      }
      found.add(words);
    }
    decoder.rest();
  }

  @Test
  void next_streamCutAtEveryByte_findsTheSameRequests() throws Exception {
    for (int cut = 0; cut <= STREAM.length(); cut++) {
      RequestDecoder decoder = decoder();
      List<List<String>> found = new ArrayList<>();
      feed(decoder, STREAM.substring(0, cut));
      drain(decoder, found);
      feed(decoder, STREAM.substring(cut));
      drain(decoder, found);
      assertThat(found).as("cut at " + cut).isEqualTo(REQUESTS);
    }
  }

  @Test
  void next_oneByteAtATime_findsTheSameRequests() throws Exception {
    RequestDecoder decoder = decoder();
    List<List<String>> found = new ArrayList<>();
    for (char c : STREAM.toCharArray()) {
      feed(decoder, String.valueOf(c));
      drain(decoder, found);
    }
    assertThat(found).isEqualTo(REQUESTS);
  }

  @Test
  void next_bigArgumentInPieces_isWhole() throws Exception {
    String big = "0123456789".repeat(500_000);
    String stream = "*2\r\n$4\r\nECHO\r\n$" + big.length() + "\r\n" + big + "\r\nPING\r\n";
    RequestDecoder decoder = decoder();
    List<List<String>> found = new ArrayList<>();
    for (int at = 0; at < stream.length(); at += 7919) {
      feed(decoder, stream.substring(at, Math.min(stream.length(), at + 7919)));
      drain(decoder, found);
    }
    assertThat(found).containsExactly(List.of("ECHO", big), List.of("PING"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*abc\\r\\n|invalid multibulk length",
        "*99999999999\\r\\n|invalid multibulk length",
        "*1048577\\r\\n|invalid multibulk length",
        "*1\\r\\n#3\\r\\n|expected '$', got '#'",
        "*1\\r\\n$-1\\r\\n|invalid bulk length",
        "*1\\r\\n$x\\r\\n|invalid bulk length",
        "*1\\r\\n$536870913\\r\\n|invalid bulk length",
        "SET \"a\\r\\n|unbalanced quotes in request",
        "SET \"a\"b\\r\\n|unbalanced quotes in request"
      })
  void next_hostileInput_namesTheFault(String input, String fault) {
    RequestDecoder decoder = decoder();
    feed(decoder, input.replace("\\r", "\r").replace("\\n", "\n"));
    assertThatThrownBy(decoder::next).hasMessage("ERR Protocol error: " + fault);
  }

  @Test
  void next_hugeInlineWithoutEnd_isRefused() {
    RequestDecoder decoder = decoder();
    feed(decoder, "x".repeat(Limits.MAX_LINE + 1));
    assertThatThrownBy(decoder::next).hasMessageContaining("too big inline request");
  }

  @Test
  void next_hugeCountLineWithoutEnd_isRefused() {
    RequestDecoder decoder = decoder();
    feed(decoder, "*" + "1".repeat(Limits.MAX_LINE + 1));
    assertThatThrownBy(decoder::next).hasMessageContaining("too big mbulk count string");
  }

  @Test
  void next_beforeAuthentication_hasTighterLimits() {
    RequestDecoder many = decoder();
    many.trusted(false);
    feed(many, "*11\r\n");
    assertThatThrownBy(many::next).hasMessageContaining("unauthenticated multibulk length");
    RequestDecoder big = decoder();
    big.trusted(false);
    feed(big, "*1\r\n$16385\r\n");
    assertThatThrownBy(big::next).hasMessageContaining("unauthenticated bulk length");
  }

  @Test
  void next_claimOfHalfAGigabyte_takesNoSuchMemory() throws Exception {
    List<RequestDecoder> claims = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      RequestDecoder decoder = decoder();
      feed(decoder, "*1000000\r\n$536870912\r\nab");
      assertThat(decoder.next()).isNull();
      claims.add(decoder);
    }
    assertThat(claims).hasSize(200);
  }

  /** Thousands of connections may each stop in the middle of a request. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "*1000000\r\n$536870912\r\nabc",
        "*3\r\n$3\r\nSET\r\n$40000\r\nabc",
        "*3\r\n$3\r\nSET\r\n$1000\r\nabc",
        "SET key"
      })
  void rest_unfinishedRequest_keepsLittleMoreThanArrived(String half) throws Exception {
    RequestDecoder decoder = decoder();
    feed(decoder, half);
    assertThat(decoder.next()).isNull();
    decoder.rest();
    assertThat(decoder.heldBytes()).isLessThan(512);
  }

  @Test
  void next_bigArgumentInManyPieces_isWhole() throws Exception {
    RequestDecoder decoder = decoder();
    List<List<String>> found = new ArrayList<>();
    String value = "0123456789".repeat(20_000);
    String request = "*2\r\n$4\r\nECHO\r\n$" + value.length() + "\r\n" + value + "\r\n";
    for (int at = 0; at < request.length(); at += 7000) {
      feed(decoder, request.substring(at, Math.min(request.length(), at + 7000)));
      drain(decoder, found);
    }
    assertThat(found).containsExactly(List.of("ECHO", value));
  }
}
