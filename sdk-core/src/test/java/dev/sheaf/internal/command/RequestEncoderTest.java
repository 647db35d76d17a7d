// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
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
        "\uD800a"
      })
  void getOfAKey_hasTheBytesOfLettuces(String key) {
    Command<String, String, String> get =
        new Command<>(
            CommandType.GET,
            new ValueOutput<>(StringCodec.UTF8),
            new CommandArgs<>(StringCodec.UTF8).addKey(key));
    assertThat(RequestEncoder.encodeGet(StringCodec.UTF8, key))
        .isEqualTo(RequestEncoder.encode(get));
  }
}
