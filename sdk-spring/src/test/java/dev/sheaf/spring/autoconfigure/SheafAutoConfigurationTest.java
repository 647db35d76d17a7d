// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.Answers.RETURNS_DEFAULTS;
import static org.mockito.Mockito.mock;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.spring.SheafOperations;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import io.lettuce.core.RedisClient;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.tracing.MicrometerTracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.netty.channel.Channel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.stubbing.Answer;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

class SheafAutoConfigurationTest {

  private static EmbeddedServer server;

  @BeforeAll
  static void start() {
    server = EmbeddedServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withPropertyValues("spring.data.redis.url=" + server.uri())
        .withConfiguration(
            AutoConfigurations.of(
                EmbeddedRedisAutoConfiguration.class,
                SheafAutoConfiguration.class,
                DataRedisAutoConfiguration.class));
  }

  @SuppressWarnings("unchecked")
  private static Sheaf<String, String> sheaf(ApplicationContext context) {
    return context.getBean(Sheaf.class);
  }

  @Test
  void switchedOff_leavesSpringsOwnFactory() {
    runner()
        .withPropertyValues("sheaf.enabled=false")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(Sheaf.class);
              assertThat(context.getBean(RedisConnectionFactory.class).getClass())
                  .isEqualTo(LettuceConnectionFactory.class);
            });
  }

  @Test
  void byDefault_replacesTheFactoryAndGivesTheBeans() {
    runner()
        .run(
            context -> {
              assertThat(context).hasSingleBean(Sheaf.class);
              assertThat(context).hasBean("sheafOperations").hasBean("stringSheafOperations");
              assertThat(context.getBean(RedisConnectionFactory.class))
                  .isInstanceOf(BatchingConnectionFactory.class)
                  .isInstanceOf(LettuceConnectionFactory.class);
            });
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void poolsAndSharing_areAsConfigured(boolean pool) {
    runner()
        .withPropertyValues(
            "spring.data.redis.lettuce.pool.enabled=" + pool,
            "spring.data.redis.lettuce.pool.max-active=2",
            "spring.data.redis.timeout=3s",
            "spring.data.redis.client-name=shop",
            "spring.threads.virtual.enabled=true")
        .run(
            context -> {
              LettuceConnectionFactory factory = context.getBean(LettuceConnectionFactory.class);
              factory.setShareNativeConnection(false);
              assertThat(factory.getTimeout()).isEqualTo(3_000);
              assertThat(factory.getClientName()).isEqualTo("shop");
              StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
              template.opsForValue().set("pooled", "yes");
              for (String key : SheafOperations.over(template).loop(List.of("pooled", "none"))) {
                assertThat(template.opsForValue().get(key))
                    .isEqualTo(key.equals("pooled") ? "yes" : null);
              }
            });
  }

  @Test
  void customizersOfTheUser_areStillAsked() {
    AtomicInteger channels = new AtomicInteger();
    runner()
        .withBean(
            ClientResourcesBuilderCustomizer.class,
            () ->
                builder ->
                    builder.nettyCustomizer(
                        new NettyCustomizer() {
                          @Override
                          public void afterChannelInitialized(Channel channel) {
                            channels.incrementAndGet();
                          }
                        }))
        .withBean(
            LettuceClientConfigurationBuilderCustomizer.class,
            () -> builder -> builder.clientName("customized"))
        .run(
            context -> {
              context.getBean(StringRedisTemplate.class).opsForValue().set("key", "value");
              assertThat(channels).hasPositiveValue();
              assertThat(context.getBean(LettuceConnectionFactory.class).getClientName())
                  .isEqualTo("customized");
            });
  }

  @Test
  void aFactoryOfTheUsersOwn_batchesToo() {
    runner()
        .withBean(
            "mine",
            LettuceConnectionFactory.class,
            () -> new LettuceConnectionFactory("127.0.0.1", server.port()))
        .run(
            context -> {
              assertThat(context.getBean("mine")).isInstanceOf(BatchingConnectionFactory.class);
              context.getBean(StringRedisTemplate.class).opsForValue().set("mine", "1");
              assertThat(sheaf(context).sync().get("mine")).isEqualTo("1");
            });
  }

  @Test
  void aStartedFactoryOrASubclass_isLeftAsItIs() {
    LettuceConnectionFactory started = new LettuceConnectionFactory("127.0.0.1", server.port());
    started.afterPropertiesSet();
    runner()
        .withPropertyValues("sheaf.warm-up.enabled=false")
        .withUserConfiguration(Subclass.class)
        .withBean("started", LettuceConnectionFactory.class, () -> started)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean("started")).isSameAs(started);
              assertThat(context.getBean("subclass"))
                  .isNotInstanceOf(BatchingConnectionFactory.class);
            });
  }

  @Test
  void required_aFactoryThatCannotBatchFailsTheStart() {
    runner()
        .withPropertyValues("sheaf.required=true")
        .withUserConfiguration(Subclass.class)
        .run(
            context -> {
              assertThat(context).hasFailed();
              var analysis = new NotBatchingFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis.getDescription())
                  .contains("Connections of subclass do not batch")
                  .contains("sheaf.required");
              assertThat(analysis.getAction()).contains("sheaf.required=false");
            });
    runner()
        .withPropertyValues("sheaf.required=true")
        .run(context -> assertThat(context).hasNotFailed());
    RedisConnectionFactory other = mock(RedisConnectionFactory.class);
    runner()
        .withPropertyValues("sheaf.required=true")
        .withBean("other", RedisConnectionFactory.class, () -> other)
        .run(context -> assertThat(context).hasFailed());
  }

  @Test
  void observedConnections_areWarnedOfNothing() {
    assertThat(warningsOf(SheafAutoConfigurationTest::observed)).isEmpty();
  }

  @Test
  void aFactoryThatIsLeftAsItIs_isNamedInOneWarning() {
    Runnable subclass =
        () ->
            runner()
                .withPropertyValues("sheaf.warm-up.enabled=false")
                .withUserConfiguration(Subclass.class)
                .run(
                    context ->
                        context.getBean(StringRedisTemplate.class).opsForValue().set("key", "1"));
    assertThat(warningsOf(subclass))
        .singleElement()
        .asString()
        .startsWith("Connections of subclass do not batch: it is a ");
  }

  @Test
  void eventLoopsOfTheApplicationsResources_areNamedInOneWarning() {
    DefaultEventLoopGroupProvider own = new DefaultEventLoopGroupProvider(2) {};
    Runnable given =
        () ->
            runner()
                .withBean(
                    ClientResourcesBuilderCustomizer.class,
                    () -> builder -> builder.eventLoopGroupProvider(own))
                .run(
                    context ->
                        context.getBean(StringRedisTemplate.class).opsForValue().set("key", "1"));
    try {
      assertThat(warningsOf(given))
          .singleElement()
          .asString()
          .contains("park instead of driving", own.getClass().getName());
    } finally {
      own.shutdown(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  /** Of the starter and the client. */
  private static List<String> warningsOf(Runnable application) {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger("dev.sheaf");
    logger.addAppender(log);
    try {
      application.run();
    } finally {
      logger.detachAppender(log);
    }
    return log.list.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static void observed() {
    runner()
        .withBean(
            ClientResourcesBuilderCustomizer.class,
            () ->
                builder ->
                    builder
                        .tracing(new MicrometerTracing(ObservationRegistry.create(), "redis"))
                        .commandLatencyRecorder(mock(CommandLatencyRecorder.class, RETURNS_TRUE)))
        .run(
            context -> {
              StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
              template.opsForValue().set("observed", "1");
              assertThat(template.opsForValue().get("observed")).isEqualTo("1");
            });
  }

  private static final Answer<Object> RETURNS_TRUE =
      call ->
          call.getMethod().getReturnType() == boolean.class
              ? Boolean.TRUE
              : RETURNS_DEFAULTS.answer(call);

  @Configuration(proxyBeanMethods = false)
  static class Subclass {

    @Bean
    LettuceConnectionFactory subclass() {
      return new LettuceConnectionFactory("127.0.0.1", server.port()) {};
    }
  }

  @Test
  void stoppedAndStarted_theFactoryHasAnotherClientAndTheBeansFollow() {
    runner()
        .run(
            context -> {
              LettuceConnectionFactory factory = context.getBean(LettuceConnectionFactory.class);
              Sheaf<String, String> sheaf = sheaf(context);
              sheaf.sync().set("restarted", "1");
              RedisClient first = (RedisClient) factory.getRequiredNativeClient();

              factory.stop();
              assertThat(catchThrowable(() -> sheaf.sync()))
                  .isInstanceOf(IllegalStateException.class);
              factory.start();

              assertThat(factory.getRequiredNativeClient()).isNotSameAs(first);
              assertThat(sheaf.sync().get("restarted")).isEqualTo("1");
            });
  }

  @Test
  void resetConnection_isFollowedByTheFace() {
    runner()
        .run(
            context -> {
              BatchingConnectionFactory factory = context.getBean(BatchingConnectionFactory.class);
              StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
              template.opsForValue().set("reset", "1");
              factory.resetConnection();
              SheafOperations<String, String> operations = SheafOperations.over(template);
              assertThat(operations.getAll(List.of("reset")).get("reset").orNull()).isEqualTo("1");
            });
  }

  @Test
  void closingTheContext_leavesNoConnection() {
    ConfigurableApplicationContext[] closed = new ConfigurableApplicationContext[1];
    BatchingConnectionFactory[] factory = new BatchingConnectionFactory[1];
    runner()
        .run(
            context -> {
              factory[0] = context.getBean(BatchingConnectionFactory.class);
              context.getBean(Sheaf.class).sync().ping();
              context.getBean(StringRedisTemplate.class).hasKey("key");
              closed[0] = context;
            });
    assertThat(closed[0].isActive()).isFalse();
    assertThat(factory[0].isRunning()).isFalse();
    assertThat(factory[0].batches()).isFalse();
  }

  @Test
  void meters_areThoseOfTheApplication() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    runner()
        .withBean(MeterRegistry.class, () -> registry)
        .run(
            context -> {
              context.getBean(StringRedisTemplate.class).opsForValue().set("metered", "1");
              assertThat(registry.getMeters())
                  .anyMatch(meter -> meter.getId().getName().startsWith("sheaf."));
            });
  }

  @Test
  void metersSwitchedOff_areNotRegistered() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    runner()
        .withBean(MeterRegistry.class, () -> registry)
        .withPropertyValues("sheaf.metrics.enabled=false")
        .run(
            context -> {
              context.getBean(StringRedisTemplate.class).opsForValue().set("metered", "1");
              assertThat(registry.getMeters()).isEmpty();
            });
  }

  @Test
  void compression_isReadableWithAndWithoutIt() {
    String value = "compressible ".repeat(100);
    runner()
        .withPropertyValues("sheaf.compression.mode=on")
        .run(
            context -> {
              StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
              template.opsForValue().set("compressed", value);
              assertThat(template.opsForValue().get("compressed")).isEqualTo(value);
            });
    runner()
        .run(
            context -> {
              StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
              assertThat(template.opsForValue().get("compressed")).isEqualTo(value);
              template.opsForValue().set("plain", value);
              assertThat(template.opsForValue().append("plain", "")).isEqualTo(value.length());
              assertThat(template.opsForValue().setBit("bits", 7, true)).isFalse();
            });
    runner()
        .withPropertyValues("sheaf.compression.mode=off")
        .run(
            context ->
                assertThat(context.getBean(StringRedisTemplate.class).opsForValue().get("plain"))
                    .isEqualTo(value));
    runner()
        .withPropertyValues("sheaf.compression.mode=off")
        .run(
            context ->
                assertThat(
                        context
                            .getBean(StringRedisTemplate.class)
                            .opsForValue()
                            .get("compressed")
                            .length())
                    .isLessThan(value.length() / 2));
  }

  @ParameterizedTest
  @CsvSource({
    "sheaf.batching.max-fused-keys=1,                 maxFusedKeys must be at least 2",
    "sheaf.batching.max-batch-bytes=3GB,              sheaf.batching.max-batch-bytes",
    "sheaf.availability.timeout=0s,                   timeout must be positive",
    "sheaf.compression.policies[0].min-size=1B,       minBytes must be at least 64",
  })
  void aLimitOutOfRange_isNamed(String property, String message) {
    runner()
        .withPropertyValues(property, "sheaf.compression.mode=on")
        .run(
            context -> {
              assertThat(context).hasFailed();
              var analysis =
                  new InvalidSheafPropertyFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis.getDescription()).contains(message);
              assertThat(analysis.getAction()).contains("sheaf.");
            });
  }

  @Test
  void anAlgorithmWithoutItsLibrary_isNamedWithTheLibrary() {
    runner()
        .withPropertyValues("sheaf.compression.mode=on", "sheaf.compression.algorithm=lz4")
        .run(
            context -> {
              assertThat(context).hasFailed();
              var analysis =
                  new InvalidSheafPropertyFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis.getDescription()).contains("at.yawk.lz4:lz4-java");
            });
  }

  @Test
  void redisThatIsNotThere_isNamedWithItsAddress() {
    runner()
        .withPropertyValues("spring.data.redis.url=redis://127.0.0.1:1")
        .withBean(
            "eager",
            Object.class,
            () -> {
              throw catchThrowableOfType(
                  RedisConnectionFailureException.class, () -> connect("127.0.0.1", 1));
            })
        .run(
            context -> {
              assertThat(context).hasFailed();
              var analysis =
                  new RedisUnreachableFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis.getDescription()).contains("127.0.0.1").contains("refused");
              assertThat(analysis.getAction()).contains("spring.data.redis.url");
            });
  }

  private static void connect(String host, int port) {
    LettuceConnectionFactory factory = new LettuceConnectionFactory(host, port);
    factory.afterPropertiesSet();
    try {
      factory.getConnection();
    } finally {
      factory.destroy();
    }
  }

  @Test
  void aTemplateOfTheUsersTypes_hasOperationsToo() {
    runner()
        .withUserConfiguration(OwnTemplate.class, Consumer.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              Consumer consumer = context.getBean(Consumer.class);
              consumer.template.opsForValue().set("typed", 1);
              assertThat(consumer.operations.getAll(List.of("typed")).get("typed").orNull())
                  .isEqualTo(1);
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnTemplate {

    @Bean
    RedisTemplate<String, Object> redisTemplate(RedisConnectionFactory factory) {
      RedisTemplate<String, Object> template = new RedisTemplate<>();
      template.setConnectionFactory(factory);
      template.setKeySerializer(RedisSerializer.string());
      return template;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Consumer {

    @Autowired RedisTemplate<String, Object> template;

    @Autowired SheafOperations<String, Object> operations;
  }

  @Test
  void aFactoryThatDoesNotBatch_letsTheApplicationStart() {
    runner()
        .withUserConfiguration(Subclass.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              context.getBean(StringRedisTemplate.class).opsForValue().set("plain", "1");
              assertThat(catchThrowable(() -> context.getBean(Sheaf.class).sync()))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("connection factory");
            });
  }
}
