// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.internal.data.Numbers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LuaNumbersTest {

  @Test
  void general_isWhatLuaPrints() {
    try (TestEngine engine = new TestEngine(new TinyHost())) {
      Random random = new Random(11);
      byte[] script =
          TinyHost.bytes(
              "local n = struct.unpack('<d', ARGV[1])"
                  + " return {string.format('%.17g', n), string.format('%.14g', n),"
                  + " string.format('%.3g', n)}");
      for (int i = 0; i < 20_000; i++) {
        double number = number(random, i);
        byte[] packed =
            ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putDouble(number).array();
        List<?> printed =
            (List<?>) Objects.requireNonNull(engine.eval(script, List.of(), List.of(packed)));
        assertThat(
                List.of(
                    Numbers.general(number, 17),
                    Numbers.general(number, 14),
                    Numbers.general(number, 3)))
            .isEqualTo(printed.stream().map(text -> TinyHost.text((byte[]) text)).toList());
      }
    }
  }

  private static double number(Random random, int i) {
    return switch (i % 5) {
      case 0 -> random.nextLong();
      case 1 -> random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20);
      case 2 -> random.nextInt(2_000_000) / 1000.0 - 1000;
      case 3 -> Math.pow(10, random.nextInt(330) - 10);
      default -> finite(random);
    };
  }

  private static double finite(Random random) {
    double number = Double.longBitsToDouble(random.nextLong());
    return Double.isFinite(number) ? number : 0.5;
  }

  @Test
  void notANumber_keepsItsSign() {
    assertThat(Numbers.general(Double.NaN, 14)).isEqualTo("nan");
    assertThat(Numbers.general(Double.longBitsToDouble(0xfff8000000000000L), 14)).isEqualTo("-nan");
  }

  @Test
  void truncated_isTheHardwaresCast() {
    assertThat(LuaState.truncated(-1.9)).isEqualTo(-1);
    assertThat(LuaState.truncated(Double.NaN)).isEqualTo(Long.MIN_VALUE);
    assertThat(LuaState.truncated(1e300)).isEqualTo(Long.MIN_VALUE);
    assertThat(LuaState.truncated(-0x1p63)).isEqualTo(Long.MIN_VALUE);
  }
}
