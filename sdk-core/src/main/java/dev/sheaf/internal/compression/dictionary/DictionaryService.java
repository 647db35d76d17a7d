// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import dev.sheaf.SheafException;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Dictionaries;
import dev.sheaf.compression.DictionaryInfo;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.internal.compression.algorithm.Algorithm;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dictionaries of one client: those it reads with, those it writes with, and the periodic
 * refresh of its lease. Thread-safe.
 */
public final class DictionaryService implements Dictionaries, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf");

  /** How often a lease is renewed before it expires. */
  private static final int REFRESHES_PER_LEASE = 4;

  private final LongSupplier nanoTime;
  private final DictionaryOptions options;
  private final boolean reads;

  /**
   * Whether it has a lease: without options for dictionaries, a client opens no connection for
   * them.
   */
  private final boolean leases;

  private final String client = UUID.randomUUID().toString();
  private final IdentityHashMap<CompressionPolicy, PolicyDictionary> byPolicy =
      new IdentityHashMap<>();
  private final byte[][] excepted;
  private final List<TrainedDictionary> shipped;
  private final DictionaryMeters meters;
  private final KnownDictionaries known;
  private final DictionaryTraining training;
  private volatile @Nullable DictionaryStore store;
  private volatile @Nullable Future<?> refreshing;

  private volatile boolean rehearses;

  /** Whether all known clients can read dictionaries. */
  private volatile boolean allowed;

  /** When compression with dictionaries ends: one lease after the last refresh. */
  private volatile long writesUntilNanos;

  /**
   * Creates the service with the dictionaries of the options, and without a server.
   *
   * @throws IllegalArgumentException if a dictionary of the options is damaged
   * @throws IllegalStateException if the library is missing
   */
  public DictionaryService(CompressionOptions compression, DictionaryMeters meters) {
    this(compression, meters, System::nanoTime);
  }

  /** Creates the service with another clock. */
  public DictionaryService(
      CompressionOptions compression, DictionaryMeters meters, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.writesUntilNanos = nanoTime.getAsLong();
    DictionaryOptions given = compression.dictionaries();
    this.options = given == null ? DictionaryOptions.readOnly() : given;
    boolean present = Algorithm.ZSTD.orNull() != null;
    this.reads = present && options.reading();
    this.leases = given != null;
    this.meters = meters;
    this.shipped = shipped(options);
    if (options.training() || !shipped.isEmpty()) {
      Algorithm.ZSTD.requirePresent();
    }
    this.excepted =
        options.except().stream()
            .map(prefix -> prefix.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    this.known =
        new KnownDictionaries(
            id -> {
              DictionaryStore from = store;
              return from == null
                  ? CompletableFuture.failedFuture(
                      KnownDictionaries.lost(
                          id, "is not here, and there is no server to ask", null))
                  : from.get(id);
            });
    this.training = new DictionaryTraining(options, known, meters);
    if (given != null) {
      for (CompressionPolicy policy : compression.policies()) {
        if (policy.compressor() != null) {
          byPolicy.put(policy, new PolicyDictionary(policy, options, this::train));
        }
      }
    }
    shipped.forEach(known::add);
  }

  /** Uses the dictionaries of the options, if they may be used without checking other clients. */
  public DictionaryService withoutServer() {
    if (rehearses || !options.awaitReaders()) {
      allowed = true;
      writesUntilNanos = nanoTime.getAsLong() + Long.MAX_VALUE / 2;
      adoptShipped();
    }
    return this;
  }

  private static List<TrainedDictionary> shipped(DictionaryOptions options) {
    List<TrainedDictionary> all = new ArrayList<>();
    try {
      for (Path file : options.files()) {
        all.add(TrainedDictionary.parse(Files.readAllBytes(file)));
      }
      for (String name : options.resources()) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ClassLoader loader = context == null ? DictionaryService.class.getClassLoader() : context;
        try (InputStream in = loader.getResourceAsStream(name)) {
          if (in == null) {
            throw new IllegalArgumentException(
                "There is no resource \""
                    + name
                    + "\" on the class path, which"
                    + " DictionaryOptions.resources names");
          }
          all.add(TrainedDictionary.parse(in.readAllBytes()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("A dictionary cannot be read: " + e, e);
    }
    return all;
  }

  private void adoptShipped() {
    for (TrainedDictionary dictionary : shipped) {
      for (PolicyDictionary learner : byPolicy.values()) {
        if (learner.policy().prefix().equals(dictionary.prefix()) && learner.current() == null) {
          learner.adoptOfOthers(dictionary);
        }
      }
    }
  }

  /** Sets the server; the caller refreshes. */
  public void attach(DictionaryStore to) {
    store = to;
  }

  /**
   * Sets the server.
   *
   * @param executor runs the refresh; its threads drive no event loop
   */
  public void attach(DictionaryStore to, ScheduledExecutorService executor) {
    attach(to);
    if (leases) {
      long periodMillis = options.lease().toMillis() / REFRESHES_PER_LEASE;
      refreshing =
          executor.scheduleAtFixedRate(
              this::refreshQuietly, 0, periodMillis, TimeUnit.MILLISECONDS);
    }
  }

  private void refreshQuietly() {
    DictionaryStore to = store;
    if (to != null) {
      refresh(to)
          .exceptionally(
              failure -> {
                LOG.debug("Dictionaries were not looked for", failure);
                return null;
              });
    }
  }

  @Override
  public void refresh() {
    await(refresh(requireStore()));
  }

  /** Refreshes if a quarter of the lease has passed; for callers without an executor. */
  public void refreshIfDue() {
    long leaseNanos = options.lease().toNanos();
    if (writesUntilNanos - nanoTime.getAsLong() < leaseNanos - leaseNanos / REFRESHES_PER_LEASE) {
      refresh();
    }
  }

  /**
   * Uses the dictionaries that others have adopted and those of the options, for a rehearsal: it
   * writes nothing to the server, trains nothing, and does not check readers.
   */
  public void rehearse() {
    rehearses = true;
    await(
        requireStore()
            .current()
            .thenCompose(this::ofOthers)
            .thenAccept(ofOthers -> ofOthers.forEach(PolicyDictionary::adoptOfOthers)));
    withoutServer();
  }

  private CompletableFuture<?> refresh(DictionaryStore to) {
    long startNanos = nanoTime.getAsLong();
    return to.renew(client, reads ? 2 : 1, options.lease())
        .thenAccept(readers -> allowed = !options.awaitReaders() || readers.without() == 0)
        .thenCompose(renewed -> to.current())
        .thenCompose(this::ofOthers)
        .thenCompose(ofOthers -> keep(to, ofOthers))
        .thenRun(() -> writesUntilNanos = startNanos + options.lease().toNanos());
  }

  /**
   * Returns the adopted dictionaries for the prefixes of this client's policies that it can use.
   */
  private CompletableFuture<Map<PolicyDictionary, TrainedDictionary>> ofOthers(
      Map<String, Integer> current) {
    Map<PolicyDictionary, TrainedDictionary> ofOthers = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> fetches = new ArrayList<>();
    for (PolicyDictionary learner : byPolicy.values()) {
      Integer id = current.get(learner.policy().prefix());
      if (options.training() && id != null && learner.isOpenTo(id)) {
        fetches.add(
            known
                .fetch(id)
                .thenAccept(dictionary -> ofOthers.put(learner, dictionary))
                .exceptionally(
                    lost -> {
                      LOG.debug("A dictionary is in use that cannot be read", lost);
                      return null;
                    }));
      }
    }
    return CompletableFuture.allOf(fetches.toArray(CompletableFuture[]::new))
        .thenApply(fetched -> ofOthers);
  }

  /**
   * Reports what this client uses, then stores again what the server has lost of it, and only then
   * starts to write with adopted dictionaries. In this order nobody can remove a dictionary as
   * unused while this client writes with it.
   */
  private CompletableFuture<?> keep(
      DictionaryStore to, Map<PolicyDictionary, TrainedDictionary> ofOthers) {
    Set<TrainedDictionary> used = new HashSet<>(shipped);
    used.addAll(ofOthers.values());
    for (TrainedDictionary dictionary : known.all()) {
      if (dictionary.wasUsed()) {
        used.add(dictionary);
      }
    }
    for (PolicyDictionary learner : byPolicy.values()) {
      TrainedDictionary current = learner.current();
      if (current != null) {
        used.add(current);
      }
    }
    return to.setUsed(used)
        .thenCompose(marked -> to.ids())
        .thenCompose(
            stored -> {
              Set<Integer> there = new HashSet<>(stored);
              return CompletableFuture.allOf(
                  used.stream()
                      .filter(dictionary -> !there.contains(dictionary.id()))
                      .map(to::putIfAbsent)
                      .toArray(CompletableFuture[]::new));
            })
        .thenRun(
            () -> {
              ofOthers.forEach(PolicyDictionary::adoptOfOthers);
              adoptShipped();
            });
  }

  private void train(PolicyDictionary learner) {
    training.begin(learner, rehearses ? null : store);
  }

  /** Returns whether this client reads values that need a dictionary. */
  public boolean reads() {
    return reads;
  }

  public KnownDictionaries known() {
    return known;
  }

  public DictionaryMeters meters() {
    return meters;
  }

  /**
   * Returns the dictionary state of a policy; null if the key is excepted or the policy has none.
   */
  public @Nullable PolicyDictionary of(CompressionPolicy policy, byte[] keys, int start, int end) {
    if (byPolicy.isEmpty()) {
      return null;
    }
    for (byte[] prefix : excepted) {
      if (end - start >= prefix.length
          && Arrays.equals(keys, start, start + prefix.length, prefix, 0, prefix.length)) {
        return null;
      }
    }
    return byPolicy.get(policy);
  }

  /**
   * Returns the dictionary to compress with now; null while readers exist that cannot read it, or
   * if the server of the dictionaries has not answered for a lease.
   */
  public @Nullable TrainedDictionary toWrite(PolicyDictionary of) {
    TrainedDictionary current = of.current();
    return current != null && allowed && nanoTime.getAsLong() - writesUntilNanos < 0
        ? current
        : null;
  }

  private DictionaryStore requireStore() {
    DictionaryStore to = store;
    if (to == null) {
      throw new IllegalStateException("The client is not connected");
    }
    return to;
  }

  @Override
  public List<DictionaryInfo> list() {
    DictionaryStore from = requireStore();
    Map<String, Integer> current = await(from.current());
    Map<String, Instant> used = await(from.used());
    List<DictionaryInfo> all = new ArrayList<>();
    for (int id : await(from.ids())) {
      byte[] stored = await(from.get(id));
      if (stored != null) {
        try {
          all.add(info(TrainedDictionary.parse(stored), current, used));
        } catch (IllegalArgumentException damaged) {
          LOG.warn(
              "The field {} of the hash {} is left out: {}",
              TrainedDictionary.name(id),
              DictionaryStore.KEY,
              damaged.getMessage());
        }
      }
    }
    all.sort(Comparator.comparing(DictionaryInfo::prefix).thenComparing(DictionaryInfo::trainedAt));
    return List.copyOf(all);
  }

  private static DictionaryInfo info(
      TrainedDictionary dictionary, Map<String, Integer> current, Map<String, Instant> used) {
    Integer inUse = current.get(dictionary.prefix());
    return new DictionaryInfo(
        dictionary.name(),
        dictionary.prefix(),
        dictionary.bytes(),
        dictionary.samples(),
        dictionary.ratio(),
        dictionary.trainedAt(),
        used.get(dictionary.name()),
        inUse != null && inUse == dictionary.id());
  }

  @Override
  public void exportTo(String id, Path file) throws IOException {
    byte[] stored =
        TrainedDictionary.isName(id) ? await(requireStore().get(DictionaryStore.id(id))) : null;
    if (stored == null) {
      throw new IllegalArgumentException(
          "No dictionary \"" + id + "\" is stored; sheaf.dictionaries().list() has all");
    }
    Files.write(file, TrainedDictionary.parse(stored).stored());
  }

  @Override
  public String importFrom(Path file) throws IOException {
    TrainedDictionary dictionary = TrainedDictionary.parse(Files.readAllBytes(file));
    DictionaryStore to = requireStore();
    await(to.setUsed(Set.of(dictionary)));
    await(to.putIfAbsent(dictionary));
    if (reads) {
      known.add(dictionary);
    }
    return dictionary.name();
  }

  /** Waits for a reply, which the store's time-out bounds. */
  public static <T extends @Nullable Object> T await(CompletableFuture<T> reply) {
    try {
      return reply.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SheafException("Interrupted while waiting for the server");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known
          ? known
          : new SheafException("The server did not answer: " + e.getCause(), e.getCause());
    }
  }

  /** Stops the periodic refresh and disconnects from the server. */
  @Override
  public void close() {
    DictionaryStore left = store;
    if (left != null) {
      left.close();
    }
    Future<?> regular = refreshing;
    if (regular != null) {
      regular.cancel(false);
    }
    training.close();
  }
}
