// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import static dev.sheaf.internal.compression.dictionary.DictionaryService.await;

import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.internal.compression.algorithm.ZstdDictionary;
import dev.sheaf.internal.compression.dictionary.DictionaryMeters.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains dictionaries on a thread of its own, one at a time, and stores the worthwhile ones before
 * anything is compressed with them.
 */
final class DictionaryTraining {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf");

  /**
   * The dictionary size, 16 KiB: larger ones save little more, and use more of the processor's
   * caches.
   */
  private static final int DICTIONARY_BYTES = 16 << 10;

  /** One sample of this many is held back for the trial. */
  private static final int HELD_BACK = 4;

  /** How much less than an existing dictionary a new one must store. */
  private static final double BETTER = 0.95;

  /** The most dictionaries in a key space; beyond that, no more are trained. */
  private static final int MAX_STORED = KnownDictionaries.MAX_KNOWN;

  private static final int IDLE_SECONDS = 10;

  private final DictionaryOptions options;
  private final KnownDictionaries known;
  private final DictionaryMeters meters;
  private final ThreadPoolExecutor executor;

  DictionaryTraining(DictionaryOptions options, KnownDictionaries known, DictionaryMeters meters) {
    this.options = options;
    this.known = known;
    this.meters = meters;
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, "sheaf-dictionaries");
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
  }

  /**
   * Starts a training and reports the outcome to the policy. At most one per policy is in progress.
   */
  void begin(PolicyDictionary learner, @Nullable DictionaryStore store) {
    try {
      executor.execute(() -> trainQuietly(learner, store));
    } catch (RejectedExecutionException closed) {
      learner.failed();
    }
  }

  private void trainQuietly(PolicyDictionary learner, @Nullable DictionaryStore store) {
    List<byte[]> samples = learner.takeSamples();
    if (store == null) {
      learner.failed();
      return;
    }
    try {
      meters.trained(train(learner, store, samples));
    } catch (Throwable e) {
      learner.failed();
      if (executor.isShutdown()) {
        return;
      }
      meters.trained(Outcome.FAILED);
      LOG.warn(
          "No dictionary was trained for keys with the prefix \"{}\"; values are compressed as"
              + " before: {}",
          learner.policy().prefix(),
          e.toString());
    }
  }

  private record Candidate(TrainedDictionary dictionary, DictionaryTrial.Figures figures) {}

  private Outcome train(PolicyDictionary learner, DictionaryStore store, List<byte[]> samples) {
    CompressionPolicy policy = learner.policy();
    List<byte[]> toLearn = new ArrayList<>();
    List<byte[]> heldBack = new ArrayList<>();
    for (int i = 0; i < samples.size(); i++) {
      if (i % HELD_BACK == 0) {
        heldBack.add(samples.get(i));
      } else {
        byte[] allowed = options.redact().apply(samples.get(i));
        if (allowed != null && allowed.length > 0) {
          toLearn.add(allowed);
        }
      }
    }
    DictionaryTrial trial = new DictionaryTrial(heldBack, policy, options);
    Candidate best = null;
    for (TrainedDictionary inUse : inUse(learner, store)) {
      DictionaryTrial.Figures figures = trial.of(inUse);
      if (best == null || figures.storedBytes() < best.figures().storedBytes()) {
        best = new Candidate(inUse, figures);
      }
    }
    TrainedDictionary trained = trained(policy, toLearn);
    boolean isNew = false;
    if (trained != null) {
      DictionaryTrial.Figures figures = trial.of(trained);
      if (best == null || figures.storedBytes() < BETTER * best.figures().storedBytes()) {
        trained = trained.judged(trial.ratio(figures));
        best = new Candidate(trained, figures);
        isNew = true;
      }
    }
    boolean isWorth = best != null && trial.isWorth(best.figures());
    LOG.info(
        "Of values with the prefix \"{}\", {} stores {}, which is {}; stored without one: {}",
        policy.prefix(),
        best == null ? "no dictionary" : "the dictionary " + best.dictionary().name(),
        best == null ? "anything" : String.format(Locale.ROOT, "%.3f", trial.ratio(best.figures())),
        isWorth ? "worth it" : "not worth it",
        trial.others());
    if (best == null || !isWorth) {
      learner.reject();
      return Outcome.REJECTED;
    }
    store(best.dictionary(), isNew, store);
    learner.adopt(best.dictionary(), trial.ratio(best.figures()));
    return isNew ? Outcome.ADOPTED : Outcome.KEPT;
  }

  /** Returns the dictionaries that this client and others use for the same keys. */
  private List<TrainedDictionary> inUse(PolicyDictionary learner, DictionaryStore store) {
    List<TrainedDictionary> inUse = new ArrayList<>();
    TrainedDictionary own = learner.current();
    if (own != null) {
      inUse.add(own);
    }
    Integer id = await(store.current()).get(learner.policy().prefix());
    if (id != null && (own == null || own.id() != id)) {
      try {
        inUse.add(await(known.fetch(id)));
      } catch (RuntimeException lost) {
        LOG.debug("A dictionary is in use that cannot be read", lost);
      }
    }
    return inUse;
  }

  private @Nullable TrainedDictionary trained(CompressionPolicy policy, List<byte[]> samples) {
    try {
      byte[] content = ZstdDictionary.train(samples, DICTIONARY_BYTES, 3);
      return TrainedDictionary.of(content, policy.prefix(), samples.size(), Instant.now());
    } catch (IllegalArgumentException nothingInCommon) {
      LOG.debug("The samples make no dictionary", nothingInCommon);
      return null;
    }
  }

  /** Its use is reported first, because an unused dictionary can be removed at any time. */
  private void store(TrainedDictionary dictionary, boolean isNew, DictionaryStore store) {
    await(store.setUsed(Set.of(dictionary)));
    int stored = isNew ? await(store.ids()).size() : 0;
    if (stored >= MAX_STORED) {
      throw new IllegalStateException(
          stored
              + " dictionaries are stored, and more than "
              + MAX_STORED
              + " are not trained; DictionaryCleaner of sheaf-inspector removes those that no value"
              + " refers to");
    }
    if (!await(store.putIfAbsent(dictionary))) {
      byte[] there = await(store.get(dictionary.id()));
      if (there == null || TrainedDictionary.parse(there).id() != dictionary.id()) {
        throw new IllegalStateException(
            "another dictionary has the identifier " + dictionary.name());
      }
    }
    if (isNew) {
      await(store.setCurrent(dictionary));
      known.add(dictionary);
    }
  }

  void close() {
    executor.shutdownNow();
  }
}
