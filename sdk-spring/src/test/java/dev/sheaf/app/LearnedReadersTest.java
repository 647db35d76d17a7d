// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.batch.infrastructure.item.redis.RedisItemReader;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.ScanOptions;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.data.redis.RedisIndexedSessionRepository;

/**
 * What Spring's libraries read one by one, by the round trips that they take with learned loops and
 * without: the values of Spring Batch's item reader, Spring Session's sessions of a user, and the
 * hashes of a repository.
 */
class LearnedReadersTest {

  private static final int ITEMS = 30;

  private final EmbeddedServer server = EmbeddedServer.start();
  private final LatencyProxy proxy =
      LatencyProxy.builder().target("127.0.0.1", server.port()).start();
  private final ExecutorService worker = Executors.newSingleThreadExecutor();
  private ConfigurableApplicationContext application;

  @AfterEach
  void stop() {
    application.close();
    worker.shutdown();
    proxy.close();
    server.close();
  }

  private void start(boolean learned) {
    application =
        new SpringApplication(ShopApplication.class)
            .run(
                "--spring.data.redis.url=redis://127.0.0.1:" + proxy.port(),
                "--spring.main.web-application-type=none",
                "--spring.main.banner-mode=off",
                "--sheaf.loops.learn=" + learned,
                // A machine that is busy must not make a loop too slow for its window.
                "--sheaf.loops.max-age=30s");
  }

  private StringRedisTemplate strings() {
    return application.getBean(StringRedisTemplate.class);
  }

  /** Of the fifth run of a body; three prove what the keys are. */
  private long roundTrips(Callable<List<String>> body, List<String> expected) throws Exception {
    long before = 0;
    for (int i = 0; i < 5; i++) {
      before = proxy.stats().roundTrips();
      assertThat(body.call()).containsExactlyInAnyOrderElementsOf(expected);
    }
    return proxy.stats().roundTrips() - before;
  }

  private static List<String> names() {
    return IntStream.range(0, ITEMS).mapToObj(i -> "name" + Integer.toString(7 * i, 36)).toList();
  }

  /** A page of SCAN, then a GET for each key. */
  private List<String> readAll(RedisItemReader<String, String> reader) throws Exception {
    List<String> read = new ArrayList<>();
    worker.submit(() -> reader.open(new ExecutionContext())).get();
    // Nothing but the library's own code is on the stack of the worker.
    Callable<String> next = reader::read;
    for (String item = worker.submit(next).get(); item != null; item = worker.submit(next).get()) {
      read.add(item);
    }
    reader.close();
    return read;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void itemReaderOfBatch_readsAPageInTwoRoundTrips(boolean learned) throws Exception {
    start(learned);
    names().forEach(name -> strings().opsForValue().set("item:" + name, name));
    ScanOptions pages = ScanOptions.scanOptions().match("item:*").count(10 * ITEMS).build();
    long roundTrips = roundTrips(() -> readAll(new RedisItemReader<>(strings(), pages)), names());
    assertThat(roundTrips).isEqualTo(learned ? 2 : 1 + ITEMS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sessionsOfAUser_takeTwoRoundTrips(boolean learned) throws Exception {
    start(learned);
    RedisTemplate<String, Object> template = new RedisTemplate<>();
    template.setConnectionFactory(application.getBean(RedisConnectionFactory.class));
    template.setKeySerializer(RedisSerializer.string());
    template.setHashKeySerializer(RedisSerializer.string());
    template.afterPropertiesSet();
    RedisIndexedSessionRepository sessions = new RedisIndexedSessionRepository(template);
    for (String name : names()) {
      var session = sessions.createSession();
      session.setAttribute(FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME, "ada");
      session.setAttribute("name", name);
      sessions.save(session);
    }
    long roundTrips =
        roundTrips(
            () ->
                sessions.findByPrincipalName("ada").values().stream()
                    .map(session -> session.<String>getAttribute("name"))
                    .toList(),
            names());
    assertThat(roundTrips).isEqualTo(learned ? 2 : 1 + ITEMS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void repository_findsAllInOneRoundTrip(boolean learned) throws Exception {
    start(learned);
    ItemRepository items = application.getBean(ItemRepository.class);
    names().forEach(name -> items.save(new Item(name, name, 1)));
    long roundTrips =
        roundTrips(
            () -> {
              List<String> found = new ArrayList<>();
              items.findAllById(names()).forEach(item -> found.add(item.name()));
              return found;
            },
            names());
    assertThat(roundTrips).isEqualTo(learned ? 1 : ITEMS);
  }
}
