// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.EmbeddedServerBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a native image is told of the client is what the client has. */
class NativeImageMetadataTest {

  private static final String FILE =
      "/META-INF/native-image/dev.sheaf/sheaf-core/reachability-metadata.json";

  private static final Pattern CLASS = Pattern.compile("\"((?:io|dev|java)\\.[\\w.$]+)\"");
  private static final Pattern GLOB = Pattern.compile("\"glob\": \"([^\"]+)\"");

  private static String metadata() throws IOException {
    try (InputStream file = NativeImageMetadataTest.class.getResourceAsStream(FILE)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theProxyOfBlockingCommands_isListed(boolean cluster) throws IOException {
    EmbeddedServerBuilder builder = EmbeddedServer.builder();
    if (cluster) {
      builder.cluster(1, 0);
    }
    try (EmbeddedServer server = builder.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThat(Proxy.isProxyClass(sheaf.sync().getClass())).isTrue();
      String interfaces =
          Arrays.stream(sheaf.sync().getClass().getInterfaces())
              .map(type -> '"' + type.getName() + '"')
              .collect(Collectors.joining(", ", "{ \"proxy\": [", "] }"));
      assertThat(metadata()).contains(interfaces);
    }
  }

  /** The client asks it which methods send several commands on a cluster. */
  @Test
  void methodsOfLettucesClusterCommands_areListed() throws Exception {
    Class<?> asked = Class.forName("io.lettuce.core.cluster.RedisAdvancedClusterAsyncCommandsImpl");
    assertThat(asked.getDeclaredMethods()).extracting(Method::getName).contains("mget");
    assertThat(metadata())
        .contains("{ \"type\": \"" + asked.getName() + "\", \"allDeclaredMethods\": true }");
  }

  @Test
  void classesAndFiles_areThere() throws IOException {
    String metadata = metadata();
    assertThat(CLASS.matcher(metadata).results().map(found -> found.group(1)))
        .isNotEmpty()
        .filteredOn(name -> !name.startsWith("java.")) // Of newer JDKs than this one may be.
        .allSatisfy(name -> assertThat(Class.forName(name)).isNotNull());
    assertThat(GLOB.matcher(metadata).results().map(found -> found.group(1)))
        .isNotEmpty()
        .allSatisfy(
            glob ->
                assertThat(getClass().getResource("/" + glob.replace("*", "compare_and_delete")))
                    .isNotNull());
  }
}
