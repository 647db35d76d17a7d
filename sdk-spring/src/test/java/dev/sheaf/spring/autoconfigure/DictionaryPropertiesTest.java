// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.DictionaryInfo;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.spring.Orders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What is set below {@code sheaf.compression.dictionaries} is what the client has. */
class DictionaryPropertiesTest {

  private static final String GROUP = "sheaf.compression.dictionaries.";

  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(SheafProperties.class)
  static class PropertiesAlone {}

  private static void withOptions(Consumer<CompressionOptions> test, String... properties) {
    new ApplicationContextRunner()
        .withUserConfiguration(PropertiesAlone.class)
        .withPropertyValues(properties)
        .run(
            context ->
                test.accept(
                    new SheafOptions(context.getBean(SheafProperties.class)).compression()));
  }

  @Test
  void byDefault_thereAreNone() {
    withOptions(
        options -> assertThat(options.dictionaries()).isNull(), "sheaf.compression.mode=on");
  }

  @Test
  void on_hasTheDefaultsOfTheClient() {
    withOptions(
        options ->
            assertThat(options.dictionaries())
                .usingRecursiveComparison()
                .ignoringFields("redact")
                .isEqualTo(DictionaryOptions.defaults()),
        "sheaf.compression.mode=on",
        GROUP + "mode=on");
  }

  @Test
  void readOnly_readsAndTrainsNothing() {
    withOptions(
        options ->
            assertThat(options.dictionaries())
                .usingRecursiveComparison()
                .ignoringFields("redact")
                .isEqualTo(DictionaryOptions.readOnly()),
        "sheaf.compression.mode=read",
        GROUP + "mode=read-only");
  }

  @Test
  void none_readsNothing() {
    withOptions(
        options -> assertThat(options.dictionaries().reading()).isFalse(), GROUP + "mode=none");
  }

  @Test
  void eachProperty_reachesItsOption() {
    withOptions(
        options -> {
          DictionaryOptions dictionaries = options.dictionaries();
          assertThat(dictionaries.training()).isFalse();
          assertThat(dictionaries.awaitReaders()).isFalse();
          assertThat(dictionaries.samples()).isEqualTo(200);
          assertThat(dictionaries.maxNanosPerSavedByte()).isEqualTo(50);
          assertThat(dictionaries.lease()).isEqualTo(Duration.ofSeconds(5));
          assertThat(dictionaries.except()).containsExactly("a:", "b:");
          assertThat(dictionaries.files()).containsExactly(Path.of("orders.dictionary"));
          assertThat(dictionaries.resources()).containsExactly("dictionaries/orders");
        },
        "sheaf.compression.mode=on",
        GROUP + "mode=on",
        GROUP + "training=false",
        GROUP + "await-readers=false",
        GROUP + "samples=200",
        GROUP + "max-nanos-per-saved-byte=50",
        GROUP + "lease=5s",
        GROUP + "except=a:,b:",
        GROUP + "files=orders.dictionary",
        GROUP + "resources=dictionaries/orders");
  }

  private static ApplicationContextRunner runner(EmbeddedServer server) {
    return new ApplicationContextRunner()
        .withPropertyValues(
            "spring.data.redis.url=" + server.uri(),
            "sheaf.compression.mode=on",
            GROUP + "mode=on",
            GROUP + "samples=400",
            GROUP + "max-nanos-per-saved-byte=1000000000")
        .withConfiguration(
            AutoConfigurations.of(SheafAutoConfiguration.class, DataRedisAutoConfiguration.class));
  }

  @Test
  void aValueOutOfItsRange_endsTheStartWithTheProperty() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      runner(server)
          .withPropertyValues(GROUP + "samples=1")
          .run(
              context ->
                  assertThat(context)
                      .getFailure()
                      .hasStackTraceContaining("sheaf.compression.dictionaries: samples")
                      .hasStackTraceContaining("but was 1"));
    }
  }

  @Test
  void anApplication_trainsCompressesAndReads() {
    AtomicInteger redacted = new AtomicInteger();
    try (EmbeddedServer server = EmbeddedServer.start()) {
      runner(server)
          .withBean(
              DictionaryOptionsBuilderCustomizer.class,
              () ->
                  builder ->
                      builder.redact(
                          sample -> {
                            redacted.incrementAndGet();
                            return sample;
                          }))
          .run(
              context -> {
                StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
                Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(
                        () -> {
                          for (int i = 0; i < 500; i++) {
                            redis.opsForValue().set("orders:" + i, Orders.order(i));
                          }
                          return server.data().getBytes("orders:1").orElseThrow().length;
                        },
                        stored -> stored < Orders.order(1).length() / 2);
                assertThat(redis.opsForValue().get("orders:1")).isEqualTo(Orders.order(1));
                @SuppressWarnings("unchecked")
                Sheaf<String, String> sheaf = context.getBean(Sheaf.class);
                assertThat(sheaf.dictionaries().list()).anyMatch(DictionaryInfo::isCurrent);
                assertThat(redacted.get()).isPositive();
              });
    }
  }
}
