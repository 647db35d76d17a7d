// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.spring.autoconfigure.SheafAutoConfiguration;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.session.Session;
import org.springframework.session.SessionRepository;
import org.springframework.session.data.redis.config.annotation.web.http.EnableRedisHttpSession;
import org.springframework.session.data.redis.config.annotation.web.http.EnableRedisIndexedHttpSession;

/** Sessions of Spring Session, the plain ones and those that can be found by their user. */
class SessionTest {

  @Configuration(proxyBeanMethods = false)
  @EnableRedisHttpSession
  static class Plain {}

  @Configuration(proxyBeanMethods = false)
  @EnableRedisIndexedHttpSession
  static class Indexed {}

  @Test
  void plainSessions_areKept() {
    keepsSessions(Plain.class);
  }

  @Test
  void indexedSessions_areKept() {
    keepsSessions(Indexed.class);
  }

  private static void keepsSessions(Class<?> configuration) {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      new WebApplicationContextRunner()
          .withPropertyValues("spring.data.redis.url=" + server.uri())
          .withConfiguration(
              AutoConfigurations.of(SheafAutoConfiguration.class, DataRedisAutoConfiguration.class))
          .withUserConfiguration(configuration)
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(BatchingConnectionFactory.class).batches()).isTrue();
                isKept((SessionRepository<?>) context.getBean(SessionRepository.class));
              });
    }
  }

  private static <S extends Session> void isKept(SessionRepository<S> sessions) {
    S session = sessions.createSession();
    session.setAttribute("user", "Ada");
    sessions.save(session);
    S found = sessions.findById(session.getId());
    assertThat(found).isNotNull();
    assertThat(found.<String>getAttribute("user")).isEqualTo("Ada");
    found.setAttribute("user", "Grace");
    sessions.save(found);
    assertThat(sessions.findById(session.getId()).<String>getAttribute("user")).isEqualTo("Grace");
    sessions.deleteById(session.getId());
    assertThat(sessions.findById(session.getId())).isNull();
  }
}
