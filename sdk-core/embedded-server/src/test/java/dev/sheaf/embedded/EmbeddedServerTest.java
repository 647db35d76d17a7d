// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EmbeddedServerTest {
  @ParameterizedTest
  @EnumSource(
      value = ProtocolVersion.class,
      names = {"RESP2", "RESP3"})
  void lettuceConnects_inBothProtocols_readsWhatItWrote(ProtocolVersion protocol) {
    try (EmbeddedServer server = EmbeddedServer.start();
        RedisClient client = RedisClient.create(server.uri())) {
      client.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
      var redis = client.connect().sync();

      assertThat(redis.set("a", "1")).isEqualTo("OK");
      assertThat(redis.get("a")).isEqualTo("1");
      assertThat(redis.get("missing")).isNull();
      redis.mset(Map.of("b", "2", "c", "3"));
      assertThat(redis.mget("a", "b", "missing"))
          .containsExactly(
              KeyValue.just("a", "1"), KeyValue.just("b", "2"), KeyValue.empty("missing"));
      assertThat(server.stats().count("GET")).isEqualTo(2);
    }
  }
}
