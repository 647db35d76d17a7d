// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyBufferTest {

  /** Encodes to buffers of its own alone. */
  private static final RedisCodec<String, String> PLAIN =
      new RedisCodec<>() {
        @Override
        public String decodeKey(ByteBuffer bytes) {
          return StringCodec.UTF8.decodeKey(bytes);
        }

        @Override
        public String decodeValue(ByteBuffer bytes) {
          return StringCodec.UTF8.decodeValue(bytes);
        }

        @Override
        public ByteBuffer encodeKey(String key) {
          return ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public ByteBuffer encodeValue(String value) {
          return encodeKey(value);
        }
      };

  private static RedisCodec<String, String> codec(boolean plain) {
    return plain ? PLAIN : StringCodec.UTF8;
  }

  /** Keys of all lengths around those at which their length gets another digit. */
  private static List<String> keys() {
    List<String> keys = new ArrayList<>();
    for (int length : new int[] {1, 9, 10, 11, 0, 99, 100, 101, 999, 1_000, 70_000}) {
      keys.add("x".repeat(length));
    }
    keys.add("schlüssel");
    keys.add("a{tag}b");
    return keys;
  }

  private static byte[] sent(List<String> keys) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.add("digest").add(keys.size());
    keys.forEach(key -> args.addKey(key.getBytes(StandardCharsets.UTF_8)));
    args.add("1").add(new byte[] {0, (byte) 255});
    return bytes(args);
  }

  private static byte[] sent(EncodedKeys keys) {
    Object[] args = {1, new byte[] {0, (byte) 255}};
    ScriptArguments arguments =
        new ScriptArguments(
            "digest".getBytes(StandardCharsets.UTF_8), keys, Arguments.of("test", args));
    assertThat(arguments.count()).isEqualTo(2 + keys.count() + args.length);
    return bytes(arguments);
  }

  private static byte[] bytes(CommandArgs<?, ?> args) {
    ByteBuf buffer = Unpooled.buffer();
    args.encode(buffer);
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void slices_areTheBytesThatLettuceWouldSend(boolean plain) {
    KeyBuffer<String> buffer = new KeyBuffer<>(codec(plain), false, 1);
    List<String> waiting = new ArrayList<>();
    Random random = new Random(7);
    for (int round = 0; round < 100; round++) {
      for (String key : keys()) {
        buffer.add(key);
        waiting.add(key);
      }
      int taken = random.nextInt(waiting.size() + 1);
      assertThat(sent(buffer.encoded(0, taken))).isEqualTo(sent(waiting.subList(0, taken)));
      assertThat(buffer.keys(0, taken)).isEqualTo(waiting.subList(0, taken));
      buffer.removeFirst(taken);
      waiting.subList(0, taken).clear();
      assertThat(buffer.size()).isEqualTo(waiting.size());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void sortedBySlot_eachKeyIsThereOnce_nextToThoseOfItsSlot(boolean plain) {
    KeyBuffer<String> buffer = new KeyBuffer<>(codec(plain), true, 1);
    List<String> keys = new ArrayList<>(keys());
    IntStream.range(0, 5_000).forEach(i -> keys.add("key:" + i % 3_000 + "{" + i % 700 + "}"));
    keys.forEach(buffer::add);
    buffer.sortBySlot();
    assertThat(buffer.keys(0, keys.size())).containsExactlyInAnyOrderElementsOf(keys);
    for (int place = 0; place < keys.size(); place++) {
      assertThat(buffer.slot(place))
          .isEqualTo(SlotHash.getSlot(buffer.key(place).getBytes(StandardCharsets.UTF_8)));
      assertThat(place == 0 || buffer.slot(place - 1) <= buffer.slot(place)).isTrue();
    }
    assertThat(sent(buffer.encoded(100, 200))).isEqualTo(sent(buffer.keys(100, 200)));
    assertThat(buffer.encoded(100, 200).slot()).isEqualTo(buffer.slot(100));
  }
}
