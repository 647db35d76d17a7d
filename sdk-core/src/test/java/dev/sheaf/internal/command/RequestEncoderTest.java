// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestEncoderTest {

  /** Half a pair of surrogates, of which encoders differ, included. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "k",
        "bench:100000",
        "Schlüssel",
        "열쇠",
        "🗝 key",
        "\uD800",
        "\uD800é",
        "\uD800a",
        "{tag}key",
        "key{tag}more"
      })
  void getOfAKey_hasTheBytesOfLettuces(String key) {
    isLikeLettuces(StringCodec.UTF8, key);
    isLikeLettuces(StringCodec.ASCII, key);
    isLikeLettuces(ByteArrayCodec.INSTANCE, key.getBytes(StandardCharsets.UTF_8));
  }

  private static <K, V> void isLikeLettuces(RedisCodec<K, V> codec, K key) {
    Command<K, V, V> lettuces =
        new Command<>(
            CommandType.GET, new ValueOutput<>(codec), new CommandArgs<>(codec).addKey(key));
    RedisCommand<K, V, V> own = RequestEncoder.newGet(key, new ValueOutput<>(codec), codec);
    byte[] expected = RequestEncoder.encode(lettuces);
    assertThat(RequestEncoder.encodeGet(codec, key)).isEqualTo(expected);
    assertThat(RequestEncoder.encode(own)).isEqualTo(expected);
    assertThat(encodedByLettuce(own)).isEqualTo(expected);
    assertThat(own.getArgs().getFirstEncodedKey())
        .isEqualTo(lettuces.getArgs().getFirstEncodedKey());
    assertThat(SlotHash.getSlot(own.getArgs().getFirstEncodedKey()))
        .isEqualTo(SlotHash.getSlot(lettuces.getArgs().getFirstEncodedKey()));
    assertThat(own.getArgs().toCommandString()).isEqualTo(lettuces.getArgs().toCommandString());
    assertThat(own.getArgs().count()).isOne();
  }

  /** As for a traced command. */
  private static byte[] encodedByLettuce(RedisCommand<?, ?, ?> command) {
    ByteBuf buffer = Unpooled.buffer();
    command.encode(buffer);
    return ByteBufUtil.getBytes(buffer);
  }

  /** Routing and sending share it, and so does sending again. */
  @Test
  void keyOfAGet_isEncodedOnce() {
    List<String> encoded = new ArrayList<>();
    StringCodec codec =
        new StringCodec() {
          @Override
          public ByteBuffer encodeKey(String key) {
            encoded.add(key);
            return super.encodeKey(key);
          }

          @Override
          public void encodeKey(String key, ByteBuf target) {
            encoded.add(key);
            super.encodeKey(key, target);
          }
        };
    RedisCommand<String, String, String> get =
        RequestEncoder.newGet("key", new ValueOutput<>(codec), codec);
    assertThat(get.getArgs().getFirstEncodedKey())
        .isEqualTo(ByteBuffer.wrap("key".getBytes(StandardCharsets.UTF_8)));
    byte[] request = RequestEncoder.encode(get);
    assertThat(RequestEncoder.encode(get)).isSameAs(request);
    assertThat(encodedByLettuce(get)).isEqualTo(request);
    assertThat(encoded).containsExactly("key");
  }
}
