// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.LoopReport;
import dev.sheaf.Sheaf;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.core.RedisTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a page asks of Redis, as the application observes it: one GET after the other without Sheaf,
 * all of them at once with it. With {@code -Dshop.waterfall=FILE} the spans are written there, for
 * the picture in the documentation.
 */
class WaterfallTest {

  private static final int WARM_UP_PAGES = 50;

  /** A command, in microseconds since the page was asked for. */
  private record Span(String command, long from, long to) {}

  /** A page: how long it took in all, and its commands in the order of their calls. */
  private record Page(long micros, List<Span> spans) {}

  /** Remembers the commands that are observed. */
  private static final class Recorder implements ObservationHandler<Observation.Context> {

    private final Map<Observation.Context, Long> begun = new ConcurrentHashMap<>();
    private final Queue<Span> ended = new ConcurrentLinkedQueue<>();
    private volatile long begin;

    void begin() {
      ended.clear();
      begin = System.nanoTime();
    }

    Page page(long micros) {
      List<Span> spans =
          ended.stream()
              .filter(span -> span.command().equals("GET"))
              .sorted(Comparator.comparingLong(Span::from))
              .toList();
      return new Page(micros, spans);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }

    @Override
    public void onStart(Observation.Context context) {
      begun.put(context, System.nanoTime());
    }

    @Override
    public void onStop(Observation.Context context) {
      Long start = begun.remove(context);
      KeyValue command = context.getLowCardinalityKeyValue("db.operation");
      if (start != null && command != null) {
        long now = System.nanoTime();
        ended.add(new Span(command.getValue(), (start - begin) / 1_000, (now - begin) / 1_000));
      }
    }
  }

  @Test
  void commandsOfAPage_followEachOtherWithoutSheaf_andTravelTogetherWithIt() throws Exception {
    Recorder recorder = new Recorder();
    SpringApplication application = new SpringApplication(ShopApplication.class);
    application.addInitializers(
        context ->
            ((GenericApplicationContext) context)
                .registerBean("recorder", ObservationHandler.class, () -> recorder));
    try (ConfigurableApplicationContext context =
        application.run("--server.port=0", "--spring.main.banner-mode=off")) {
      Catalogue catalogue = context.getBean(Catalogue.class);
      Page before = page(catalogue, recorder, false);
      Page after = page(catalogue, recorder, true);

      assertThat(before.spans()).hasSize(Catalogue.PAGE_SIZE);
      assertThat(roundTrips(before)).isEqualTo(Catalogue.PAGE_SIZE);
      assertThat(after.spans()).hasSize(Catalogue.PAGE_SIZE);
      assertThat(roundTrips(after)).isLessThanOrEqualTo(2);
      write(before, detected(context), after);
    }
  }

  private static Page page(Catalogue catalogue, Recorder recorder, boolean withSheaf) {
    for (int i = 0; i < WARM_UP_PAGES; i++) {
      catalogue.page(1, withSheaf);
    }
    recorder.begin();
    long micros = catalogue.page(1, withSheaf).micros();
    return recorder.page(micros);
  }

  /** How many groups of commands there are that began before the first of their group ended. */
  private static int roundTrips(Page page) {
    int groups = 0;
    long end = Long.MIN_VALUE;
    for (Span span : page.spans()) {
      if (span.from() >= end) {
        groups++;
        end = span.to();
      }
    }
    return groups;
  }

  /** What the detector says of the loop as it is without {@code loop}. */
  private static String detected(ConfigurableApplicationContext context) {
    @SuppressWarnings("unchecked")
    RedisTemplate<String, Product> products = context.getBean("products", RedisTemplate.class);
    for (int page = 0; page < 3; page++) {
      for (long id : LongStream.rangeClosed(1, Catalogue.PAGE_SIZE).toArray()) {
        assertThat(products.opsForValue().get("product:" + id)).isNotNull();
      }
    }
    Sheaf<?, ?> sheaf = context.getBean(Sheaf.class);
    LoopReport loop = sheaf.loops().get(0);
    assertThat(loop.callSite()).contains("WaterfallTest.detected");
    return "Called "
        + loop.command()
        + " "
        + loop.calls()
        + " times in a row from "
        + loop.callSite()
        + "; SheafOperations.loop(keys) or SheafOperations.getAll would have saved "
        + loop.avoidableRoundTrips()
        + " round trips";
  }

  private static void write(Page before, String detected, Page after) throws IOException {
    String file = System.getProperty("shop.waterfall");
    if (file != null) {
      Files.writeString(
          Path.of(file),
          JsonMapper.builder()
                  .build()
                  .writerWithDefaultPrettyPrinter()
                  .writeValueAsString(
                      Map.of("before", before, "detected", detected, "after", after))
              + "\n");
    }
  }
}
