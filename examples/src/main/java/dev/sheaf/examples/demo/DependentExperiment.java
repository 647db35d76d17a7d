package dev.sheaf.examples.demo;

import dev.sheaf.Result;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Items that name what has to be read next, as an order names its customer. */
final class DependentExperiment implements Experiment {

  private final List<String> items;
  private final List<String> documentKeys;
  private final List<String> values;

  DependentExperiment(Documents documents, String keyPrefix, int size) {
    List<StoredDocument> page = documents.page(size);
    this.items = IntStream.range(0, size).mapToObj(i -> keyPrefix + "item:" + i).toList();
    this.documentKeys = page.stream().map(document -> keyPrefix + document.key()).toList();
    this.values = page.stream().map(StoredDocument::json).toList();
  }

  @Override
  public String name() {
    return "dependent-" + items.size();
  }

  @Override
  public String description() {
    return Figures.count(items.size())
        + " items, each of which names the document to be read after it";
  }

  @Override
  public List<?> expected() {
    return values;
  }

  @Override
  public void prepare(Clients clients) {
    Map<String, String> documents = new LinkedHashMap<>();
    for (int i = 0; i < items.size(); i++) {
      documents.put(items.get(i), documentKeys.get(i));
    }
    // A write that failed throws here.
    clients.sheaf().setAll(documents, StoredKeys.TIME_TO_LIVE).values().forEach(Result::orNull);
  }

  @Override
  public void cleanUp(Clients clients) {
    clients.sheaf().deleteAll(items);
  }

  @Override
  public List<Way> ways(Clients clients) {
    return List.of(
        new Way("naive", "Lettuce, get(get(item)) in a loop", () -> loop(clients)),
        new Way("lettuce-async", "Lettuce, chained futures", () -> async(clients)),
        new Way("sheaf", "Sheaf, mapEach(items, get(get(item)))", () -> mapEach(clients)));
  }

  private List<@Nullable String> loop(Clients clients) {
    List<@Nullable String> page = new ArrayList<>();
    for (String item : items) {
      page.add(follow(clients.lettuce(), item));
    }
    return page;
  }

  private List<@Nullable String> mapEach(Clients clients) {
    return clients.sheaf().mapEach(items, item -> follow(clients.sheaf().sync(), item));
  }

  private static @Nullable String follow(RedisClusterCommands<String, String> redis, String item) {
    return redis.get(redis.get(item));
  }

  private List<@Nullable String> async(Clients clients) {
    List<CompletableFuture<String>> futures = new ArrayList<>();
    for (String item : items) {
      futures.add(
          clients
              .lettuceAsync()
              .get(item)
              .thenCompose(clients.lettuceAsync()::get)
              .toCompletableFuture());
    }
    List<@Nullable String> page = new ArrayList<>();
    futures.forEach(future -> page.add(future.join()));
    return page;
  }
}
