// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A script that calls KEYS is named in the log when it is registered. */
class ScriptsThatCallKeysTest {

  private static final Logger LOGGER = Logger.getLogger("dev.sheaf.scripts");

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          lines.add(entry.getLevel() + " " + entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    LOGGER.setUseParentHandlers(false);
    LOGGER.addHandler(handler);
  }

  @AfterEach
  void stop() {
    LOGGER.removeHandler(handler);
    LOGGER.setUseParentHandlers(true);
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

    assertThat(lines).hasSize(1);
    assertThat(lines.get(0))
        .startsWith("WARNING The script count (its text) calls KEYS")
        .contains("pass the keys to it", "or keep their names in a set");
  }

  @Test
  void otherScripts_areNotNamed() {
    register("parameter", "return redis.call('GET', KEYS[1])");
    register("comment", "-- redis.call('KEYS', '*') would be slow.\nreturn 1");
    register("hash", "return redis.call('HKEYS', KEYS[1])");

    assertThat(lines).isEmpty();
  }

  private static void register(String name, String text) {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.scripts().register(Script.of(text).named(name).returns(ResultType.RAW));
    }
  }
}
