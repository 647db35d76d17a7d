// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A script that calls KEYS is named in the log when it is registered. */
class ScriptsThatCallKeysTest {

  private final LogLines log = new LogLines("dev.sheaf.scripts");

  @AfterEach
  void stop() {
    log.close();
  }

  @Test
  void callOfKeys_isNamedWithWhatToUseInstead() {
    register(
        "count",
        """
        -- All users.
        local names = redis.pcall ( "keys", ARGV[1])
        return #names
        """);

    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().get(0))
        .startsWith("WARNING The script count (its text) calls KEYS")
        .contains("pass the keys to it", "or keep their names in a set");
  }

  @Test
  void otherScripts_areNotNamed() {
    register("parameter", "return redis.call('GET', KEYS[1])");
    register("comment", "-- redis.call('KEYS', '*') would be slow.\nreturn 1");
    register("hash", "return redis.call('HKEYS', KEYS[1])");

    assertThat(log.lines()).isEmpty();
  }

  private static void register(String name, String text) {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.scripts().register(Script.of(text).named(name).returns(ResultType.RAW));
    }
  }
}
