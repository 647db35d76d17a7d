// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RespRequestTest {

  @Test
  void argumentsOfAnyBytes_areFound() {
    Random random = new Random(1);
    for (int round = 0; round < 500; round++) {
      List<byte[]> arguments = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(20); i++) {
        byte[] argument = new byte[random.nextInt(random.nextInt(10) == 0 ? 2_000 : 12)];
        random.nextBytes(argument);
        arguments.add(argument);
      }
      byte[] bytes = encoded(arguments);
      RespRequest request = new RespRequest(bytes);

      assertThat(request.count()).isEqualTo(arguments.size());
      int frame = RespRequest.firstFrame(bytes);
      for (int i = 0; i < request.count(); i++) {
        assertThat(request.argument(i)).isEqualTo(arguments.get(i));
        assertThat(request.length(i)).isEqualTo(arguments.get(i).length);
        assertThat(request.frameStart(i)).isEqualTo(frame);
        assertThat(RespRequest.contentStart(bytes, frame)).isEqualTo(request.start(i));
        frame = RespRequest.frameEnd(bytes, frame);
        assertThat(request.frameEnd(i)).isEqualTo(frame);
      }
      assertThat(frame).isEqualTo(bytes.length);
    }
  }

  /** A command of the application's own may encode what it likes. */
  @Test
  void requestThatIsCutShortOrMalformed_hasTheArgumentsThatAreWhole() {
    byte[] whole = encoded(List.of(ascii("SET"), ascii("key"), ascii("value")));
    for (int length = 0; length < whole.length; length++) {
      assertThat(new RespRequest(Arrays.copyOf(whole, length)).count()).isLessThan(3);
    }
    Random random = new Random(1);
    for (int round = 0; round < 5_000; round++) {
      byte[] broken = whole.clone();
      for (int i = 0; i <= random.nextInt(4); i++) {
        broken[random.nextInt(broken.length)] = "0123456789$*\r\n-x".getBytes()[random.nextInt(16)];
      }
      RespRequest request = new RespRequest(broken);
      for (int i = 0; i < request.count(); i++) {
        assertThat(request.argument(i).length).isLessThan(broken.length);
      }
    }
    assertThat(new RespRequest(ascii("*2147483647\r\n$99999999999999\r\n")).count()).isZero();
  }

  @Test
  void wordsAndNumbers_areRead() {
    RespRequest request =
        new RespRequest(encoded(List.of(ascii("set"), ascii("[ex]"), ascii("eX"), ascii("10"))));
    assertThat(request.name()).isEqualTo("SET");
    assertThat(request.indexOf("EX", 1)).isEqualTo(2);
    assertThat(request.is(1, "{EX}")).isFalse();
    assertThat(request.is(4, "EX")).isFalse();
    assertThat(request.decimal(3)).isEqualTo(10);
    assertThat(request.decimal(2)).isEqualTo(-1);
    assertThat(request.decimal(4)).isEqualTo(-1);
    assertThat(request.shown(1)).isEqualTo("\"[ex]\"");
  }

  @Test
  void longArgument_isCutWhereItIsShown() {
    RespRequest request = new RespRequest(encoded(List.of(ascii("x".repeat(101)))));
    assertThat(request.shown(0)).isEqualTo("\"" + "x".repeat(100) + "…\"");
  }

  private static byte[] encoded(List<byte[]> arguments) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(ascii("*" + arguments.size() + "\r\n"));
    for (byte[] argument : arguments) {
      request.writeBytes(ascii("$" + argument.length + "\r\n"));
      request.writeBytes(argument);
      request.writeBytes(ascii("\r\n"));
    }
    return request.toByteArray();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
