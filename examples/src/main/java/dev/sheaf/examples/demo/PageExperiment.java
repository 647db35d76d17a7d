package dev.sheaf.examples.demo;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Result;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A page that shows many documents, whose keys are known. */
final class PageExperiment implements Experiment {

  /** The first is remembered, the next three are foreseen. */
  private static final int LEARNING_LOOPS = 5;

  private final List<String> keys;
  private final List<String> values;

  PageExperiment(Documents documents, String keyPrefix, int size) {
    List<StoredDocument> page = documents.page(size);
    this.keys = page.stream().map(document -> keyPrefix + document.key()).toList();
    this.values = page.stream().map(StoredDocument::json).toList();
  }

  @Override
  public String name() {
    return "page-" + keys.size();
  }

  @Override
  public String description() {
    return "A page of "
        + Figures.count(keys.size())
        + " documents, chosen at random, read by their keys";
  }

  @Override
  public List<?> expected() {
    return values;
  }

  /** Runs the loop as often as it takes to learn it. */
  @Override
  public void prepare(Clients clients) {
    for (int i = 0; i < LEARNING_LOOPS; i++) {
      learned(clients);
    }
  }

  @Override
  public List<Way> ways(Clients clients) {
    return List.of(
        new Way("naive", "Lettuce, get(key) in a loop", () -> loop(clients)),
        new Way("lettuce-mget", "Lettuce, one mget(keys)", () -> mget(clients)),
        new Way("lettuce-async", "Lettuce, all futures, then their values", () -> async(clients)),
        new Way("sheaf", "Sheaf, getAll(keys)", () -> getAll(clients)),
        new Way("sheaf-batch", "Sheaf, a batch of get(key)", () -> batch(clients)),
        new Way("sheaf-loop", "Sheaf, get(key) in a loop over loop(keys)", () -> ahead(clients)),
        new Way(
                "sheaf-plain",
                "Sheaf, get(key) in a loop it does not know of: no faster, but the detector names it",
                () -> plain(clients))
            .onlyOnce(),
        new Way(
            "sheaf-learned",
            "Sheaf, get(key) in the same loop, which a client with learnLoops has learned",
            () -> learned(clients)));
  }

  private List<@Nullable String> loop(Clients clients) {
    List<@Nullable String> page = new ArrayList<>();
    for (String key : keys) {
      page.add(clients.lettuce().get(key));
    }
    return page;
  }

  private List<@Nullable String> mget(Clients clients) {
    List<@Nullable String> page = new ArrayList<>();
    for (KeyValue<String, String> entry : clients.lettuce().mget(keys.toArray(String[]::new))) {
      page.add(entry.getValueOrElse(null));
    }
    return page;
  }

  private List<@Nullable String> async(Clients clients) {
    List<RedisFuture<String>> futures = new ArrayList<>();
    for (String key : keys) {
      futures.add(clients.lettuceAsync().get(key));
    }
    List<@Nullable String> page = new ArrayList<>();
    for (RedisFuture<String> future : futures) {
      page.add(future.toCompletableFuture().join());
    }
    return page;
  }

  private List<@Nullable String> getAll(Clients clients) {
    Map<String, Result<String>> results = clients.sheaf().getAll(keys);
    List<@Nullable String> page = new ArrayList<>();
    for (Result<String> result : results.values()) {
      page.add(result.orNull());
    }
    return page;
  }

  private List<@Nullable String> batch(Clients clients) {
    List<@Nullable String> page = new ArrayList<>();
    try (Batch<String, String> batch = clients.sheaf().batch()) {
      List<Deferred<@Nullable String>> deferred = new ArrayList<>();
      for (String key : keys) {
        deferred.add(batch.get(key));
      }
      for (Deferred<@Nullable String> value : deferred) {
        page.add(value.get());
      }
    }
    return page;
  }

  private List<@Nullable String> ahead(Clients clients) {
    List<@Nullable String> page = new ArrayList<>();
    for (String key : clients.sheaf().loop(keys)) {
      page.add(clients.sheaf().sync().get(key));
    }
    return page;
  }

  private List<@Nullable String> plain(Clients clients) {
    List<@Nullable String> page = new ArrayList<>();
    for (String key : keys) {
      page.add(clients.sheaf().sync().get(key));
    }
    return page;
  }

  private List<@Nullable String> learned(Clients clients) {
    return clients.asRequest(
        () -> {
          List<@Nullable String> page = new ArrayList<>();
          for (String key : keys) {
            page.add(clients.learning().sync().get(key));
          }
          return page;
        });
  }
}
