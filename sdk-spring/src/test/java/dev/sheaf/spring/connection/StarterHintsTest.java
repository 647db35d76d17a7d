// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What a native image is told of the starter is all that a JVM can say it needs. */
class StarterHintsTest {

  private static final Path FILES = Path.of("src/main/resources/dev/sheaf/spring/admin");

  private static RuntimeHints hints() {
    RuntimeHints hints = new RuntimeHints();
    List<RuntimeHintsRegistrar> ours =
        AotServices.factories().load(RuntimeHintsRegistrar.class).asList().stream()
            .filter(registrar -> registrar.getClass().getName().startsWith("dev.sheaf."))
            .toList();
    assertThat(ours).hasSize(1);
    ours.forEach(registrar -> registrar.registerHints(hints, null));
    return hints;
  }

  @Test
  void commandsOfConnections_mayBeProxiedAndCalled() {
    for (Class<?> connection : List.of(BatchingConnection.class, BatchingClusterConnection.class)) {
      List<? extends Class<?>> proxied =
          Stream.of(connection.getDeclaredMethods())
              .filter(method -> method.getName().endsWith("Commands") && !method.isSynthetic())
              .map(Method::getReturnType)
              .toList();
      assertThat(proxied).hasSizeGreaterThan(7);
      for (Class<?> type : proxied) {
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(type)).accepts(hints());
        assertThat(
                RuntimeHintsPredicates.reflection()
                    .onType(type)
                    .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
            .accepts(hints());
      }
    }
  }

  @Test
  void fieldsOfSpringsFactory_mayBeCopied() {
    assertThat(
            RuntimeHintsPredicates.reflection()
                .onType(LettuceConnectionFactory.class)
                .withMemberCategory(MemberCategory.ACCESS_DECLARED_FIELDS))
        .accepts(hints());
  }

  @Test
  void filesOfThePage_areInTheImage() throws Exception {
    try (Stream<Path> files = Files.list(FILES)) {
      assertThat(files.map(file -> "dev/sheaf/spring/admin/" + file.getFileName()))
          .hasSizeGreaterThan(3)
          .allSatisfy(
              name ->
                  assertThat(RuntimeHintsPredicates.resource().forResource(name)).accepts(hints()));
    }
  }
}
