// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.rivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.benchmarks.servers.Dataset;
import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import dev.sheaf.testkit.RealRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientTest {

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void connect_everyKind_everyClientReadsRightValuesInEveryWay(ServerKind kind) {
    RealRedis.require();
    String[] keys = new String[250];
    String[] values = new String[keys.length];
    String[] following = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = Dataset.SMALL.key(i * 39);
      values[i] = Dataset.SMALL.value(i * 39);
      following[i] = Dataset.SMALL.value(Dataset.SMALL.following(i * 39));
    }
    try (Servers servers = Servers.open(kind)) {
      for (Client client : Client.values()) {
        if (client == Client.RUEIDIS) {
          continue;
        }
        try (Rival rival = client.connect(kind, servers.uri(), 2)) {
          assertThat(rival.get(keys[7])).as("%s", client).isEqualTo(values[7]);
          assertThat(rival.get("bench:none")).as("%s", client).isNull();
          assertThat(rival.get(Dataset.LARGE.key(3))).isEqualTo(Dataset.LARGE.value(3));
          rival.ping();
          rival.set("bench:written", client.name());
          assertThat(rival.get("bench:written")).as("%s", client).isEqualTo(client.name());
          assertThat(rival.getAll(keys)).as("%s", client).isEqualTo(values);
          assertThat(rival.getEach(keys)).as("%s", client).isEqualTo(values);
          assertThat(rival.loop(keys)).as("%s", client).isEqualTo(values);
          assertThat(rival.loopOfTwo(keys)).as("%s", client).isEqualTo(following);
        } catch (UnsupportedOperationException absent) {
          assertThat(client).as(absent.getMessage()).isEqualTo(Client.GLIDE);
        }
      }
    }
  }

  @Test
  void connect_clientOfAnotherLanguage_saysSo() {
    assertThatThrownBy(() -> Client.RUEIDIS.connect(ServerKind.STANDALONE, "redis://h:1", 1))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("rueidis (Go) does not run in a JVM");
  }
}
