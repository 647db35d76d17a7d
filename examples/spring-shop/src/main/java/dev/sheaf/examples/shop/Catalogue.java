// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.spring.SheafOperations;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.SerializationException;
import org.springframework.stereotype.Component;

/**
 * Pages of the catalogue, read from Redis, and from the database if Redis does not have them.
 * Without Redis, everything comes from the database. Thread-safe.
 */
@Component
class Catalogue {

  static final int PAGE_SIZE = 30;

  private static final Logger LOG = LoggerFactory.getLogger(Catalogue.class);

  private final ProductRepository repository;
  private final RedisTemplate<String, Product> products;
  private final SheafOperations<String, Product> operations;
  private final Sheaf<String, String> sheaf;
  private final RedisTemplate<String, Product> plainProducts;
  private final Duration timeToLive;

  /**
   * A page.
   *
   * @param products in the order of the catalogue
   * @param fromRedis how many of them were in Redis
   * @param micros how long it took
   * @param redisAnswered whether Redis answered
   * @param reads when each GET of the loop started and ended
   */
  record Page(
      List<Product> products,
      int fromRedis,
      long micros,
      boolean redisAnswered,
      List<Read> reads) {}

  /** A GET, in microseconds since the page was requested. */
  record Read(long from, long to) {}

  Catalogue(
      ProductRepository repository,
      RedisTemplate<String, Product> products,
      SheafOperations<String, Product> operations,
      Sheaf<String, String> sheaf,
      PlainRedis plain,
      ShopProperties properties) {
    this.repository = repository;
    this.products = products;
    this.operations = operations;
    this.sheaf = sheaf;
    this.plainProducts = plain.products();
    this.timeToLive = properties.cache().timeToLive();
  }

  int pages() {
    return (repository.count() + PAGE_SIZE - 1) / PAGE_SIZE;
  }

  private static String key(long id) {
    return "product:" + id;
  }

  /** A separate entry: the first one is compressed, and only clients with Sheaf can read it. */
  private static String plainKey(long id) {
    return "plain:product:" + id;
  }

  /**
   * Reads a page.
   *
   * @param number from 1
   * @param withSheaf whether by the connections that batch, or by those of Spring Data alone
   */
  Page page(int number, boolean withSheaf) {
    Reads reads = new Reads();
    List<Long> ids = repository.ids((number - 1) * PAGE_SIZE, PAGE_SIZE);
    Map<Long, Product> found = new HashMap<>();
    boolean answered = read(ids, found, withSheaf, reads);
    int fromRedis = found.size();
    Map<Long, Product> missing = repository.byIds(missing(ids, found));
    found.putAll(missing);
    if (answered && !missing.isEmpty()) {
      answered = remember(missing, withSheaf);
    }
    List<Product> page = ids.stream().map(found::get).filter(Objects::nonNull).toList();
    return new Page(page, fromRedis, reads.micros(), answered, reads.all);
  }

  private boolean read(List<Long> ids, Map<Long, Product> found, boolean withSheaf, Reads reads) {
    try {
      if (!withSheaf) {
        readPlainly(ids, found, reads);
        return true;
      }
      // Answered at once, so that a page does not wait for a Redis that is gone.
      if (!sheaf.availability().isAvailable()) {
        return false;
      }
      readInBatches(ids, found, reads);
      return true;
    } catch (DataAccessException | RedisException | IllegalStateException e) {
      LOG.warn("Redis does not answer, so the database does: {}", e.getMessage());
      return false;
    } catch (SerializationException e) {
      LOG.warn("Redis has products of another version, so the database answers", e);
      return true;
    }
  }

  private void readPlainly(List<Long> ids, Map<Long, Product> found, Reads reads) {
    for (Long id : ids) {
      reads.begin();
      reads.end(found, plainProducts.opsForValue().get(plainKey(id)));
    }
  }

  private void readInBatches(List<Long> ids, Map<Long, Product> found, Reads reads) {
    for (Long id : operations.loop(ids, Catalogue::key)) { // the line that differs
      reads.begin();
      reads.end(found, products.opsForValue().get(key(id)));
    }
  }

  /** The reads of one page so far. */
  private static final class Reads {

    private final long started = System.nanoTime();
    private final List<Read> all = new ArrayList<>();
    private long begun;

    long micros() {
      return (System.nanoTime() - started) / 1_000;
    }

    void begin() {
      begun = micros();
    }

    void end(Map<Long, Product> found, @Nullable Product product) {
      all.add(new Read(begun, micros()));
      if (product != null) {
        found.put(product.id(), product);
      }
    }
  }

  private static List<Long> missing(List<Long> ids, Map<Long, Product> found) {
    List<Long> missing = new ArrayList<>(ids);
    missing.removeAll(found.keySet());
    return missing;
  }

  private boolean remember(Map<Long, Product> loaded, boolean withSheaf) {
    try {
      if (withSheaf) {
        Map<String, Product> values = new HashMap<>();
        loaded.forEach((id, product) -> values.put(key(id), product));
        operations.setAll(values, timeToLive).values().forEach(Result::orNull);
      } else {
        loaded.forEach(
            (id, product) -> plainProducts.opsForValue().set(plainKey(id), product, timeToLive));
      }
      return true;
    } catch (DataAccessException | RedisException | IllegalStateException e) {
      LOG.warn("Redis keeps nothing now: {}", e.getMessage());
      return false;
    }
  }
}
