// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.spring.SheafOperations;
import dev.sheaf.spring.autoconfigure.SheafAutoConfiguration;
import dev.sheaf.spring.autoconfigure.SheafHealthAutoConfiguration;
import dev.sheaf.spring.cache.SheafCacheAutoConfiguration;
import dev.sheaf.spring.scripts.SheafScriptsAutoConfiguration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.AotDetector;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.session.Session;
import org.springframework.session.SessionRepository;
import org.springframework.session.data.redis.config.annotation.web.http.EnableRedisHttpSession;

/** An application that is processed ahead of time, compiled, and started from what that made. */
@CompileWithForkedClassLoader
class ProcessAotTest {

  @Configuration(proxyBeanMethods = false)
  @AutoConfigurationPackage(basePackageClasses = Counter.class)
  @EnableCaching
  @EnableRedisHttpSession
  @ImportAutoConfiguration({
    DataRedisAutoConfiguration.class,
    DataRedisRepositoriesAutoConfiguration.class,
    CacheAutoConfiguration.class,
    SheafAutoConfiguration.class,
    SheafCacheAutoConfiguration.class,
    SheafHealthAutoConfiguration.class,
    SheafScriptsAutoConfiguration.class
  })
  static class Application {

    @Bean
    ShopApplication.Prices prices() {
      return new ShopApplication.Prices();
    }
  }

  @Test
  void anApplicationWithScriptsCachesRepositoriesAndSessions_isProcessedAndRuns() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      TestPropertyValues properties =
          TestPropertyValues.of("spring.data.redis.url=" + server.uri());
      TestGenerationContext generated = new TestGenerationContext(Application.class);
      try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
        properties.applyTo(context);
        context.register(Application.class);
        new ApplicationContextAotGenerator().processAheadOfTime(context, generated);
      }
      generated.writeGeneratedContent();
      assertThatHintsAreThere(generated.getRuntimeHints());

      TestCompiler.forSystem()
          .with(generated)
          .compile(
              compiled -> {
                System.setProperty(AotDetector.AOT_ENABLED, "true");
                try (GenericApplicationContext context = new GenericApplicationContext()) {
                  properties.applyTo(context);
                  initializer(compiled.getInstance(ApplicationContextInitializer.class))
                      .initialize(context);
                  context.refresh();
                  assertThatItRuns(context);
                } finally {
                  System.clearProperty(AotDetector.AOT_ENABLED);
                }
              });
    }
  }

  @SuppressWarnings("unchecked") // What the generator makes.
  private static ApplicationContextInitializer<GenericApplicationContext> initializer(
      ApplicationContextInitializer<?> made) {
    return (ApplicationContextInitializer<GenericApplicationContext>) made;
  }

  private static void assertThatHintsAreThere(RuntimeHints hints) {
    for (Class<?> type : List.of(Counter.class, RedisStringCommands.class)) {
      assertThat(RuntimeHintsPredicates.proxies().forInterfaces(type)).accepts(hints);
    }
    assertThat(RuntimeHintsPredicates.resource().forResource("lua/add.lua")).accepts(hints);
    assertThat(
            RuntimeHintsPredicates.reflection()
                .onType(Counter.class)
                .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
        .accepts(hints);
  }

  private static void assertThatItRuns(GenericApplicationContext context) {
    StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
    template.opsForValue().set("key", "value");
    for (String key : SheafOperations.over(template).loop(List.of("key"))) {
      assertThat(template.opsForValue().get(key)).isEqualTo("value");
    }
    Counter counter = context.getBean(Counter.class);
    assertThat(counter.add(List.of("visits"), 2)).isEqualTo(2);
    assertThat(counter.add(List.of("visits"), 3)).isEqualTo(5);
    ItemRepository items = context.getBean(ItemRepository.class);
    items.save(new Item("1", "tea", 3));
    assertThat(items.findById("1")).contains(new Item("1", "tea", 3));
    ShopApplication.Prices prices = context.getBean(ShopApplication.Prices.class);
    assertThat(prices.of("tea")).isEqualTo(prices.of("tea"));
    assertThat(prices.looked()).isEqualTo(1);
    keepsSessions((SessionRepository<?>) context.getBean(SessionRepository.class));
    assertThat(context.getBean(Sheaf.class).availability().status()).isNotNull();
  }

  private static <S extends Session> void keepsSessions(SessionRepository<S> sessions) {
    S session = sessions.createSession();
    session.setAttribute("user", "Ada");
    sessions.save(session);
    S found = sessions.findById(session.getId());
    assertThat(found).isNotNull();
    assertThat(found.<String>getAttribute("user")).isEqualTo("Ada");
  }
}
