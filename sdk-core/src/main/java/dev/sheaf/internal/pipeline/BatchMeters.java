// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.common.SummedGauge;
import dev.sheaf.internal.fusion.FusionCounts;
import dev.sheaf.internal.observe.Stage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * The meters of batching for one client. Their only tag is the client's name, so their number does
 * not grow with nodes, keys or commands.
 *
 * <p>Thread-safe. Recorded once for each batch, not for each command.
 */
public final class BatchMeters implements FusionCounts {

  /** The queue of one node connection. Thread-safe. */
  interface Queue {

    /** How many commands wait to be written. */
    int commands();

    /** How many request bytes wait to be written. */
    long bytes();
  }

  private final Set<Queue> queues = ConcurrentHashMap.newKeySet();
  private final DistributionSummary batchCommands;
  private final DistributionSummary batchBytes;
  private final Map<CommandTraits, FusionMeters> fusions = new HashMap<>();
  private final Counter nilChecks;
  private final Counter refused;
  private final Map<Stage, Counter> timeouts = new EnumMap<>(Stage.class);
  private final Counter readAgain;
  private final Counter outcomeUnknown;

  public BatchMeters(MeterRegistry registry, String client) {
    Tags tags = Tags.of("client", client);
    batchCommands =
        DistributionSummary.builder("sheaf.batch.commands")
            .description("Callers' commands in one write to a node")
            .tags(tags)
            .register(registry);
    batchBytes =
        DistributionSummary.builder("sheaf.batch.size")
            .baseUnit("bytes")
            .description("Request bytes in one write to a node")
            .tags(tags)
            .register(registry);
    for (CommandTraits kind : CommandTraits.all()) {
      if (kind.fused() != null) {
        fusions.put(kind, new FusionMeters(registry, tags, kind));
      }
    }
    nilChecks =
        counter(registry, tags, "sheaf.get.nil.checks", "GETs asked again because of a nil");
    refused = counter(registry, tags, "sheaf.queue.refused", "Commands refused by a full queue");
    readAgain =
        counter(registry, tags, "sheaf.lost.repeated", "Reads sent again after a lost connection");
    outcomeUnknown =
        counter(
            registry, tags, "sheaf.lost.unknown", "Commands whose outcome a lost connection hides");
    for (Stage stage : Stage.values()) {
      timeouts.put(
          stage,
          counter(
              registry,
              tags.and("stage", stage.name().toLowerCase(Locale.ROOT).replace('_', '-')),
              "sheaf.timeouts",
              "Commands that were not answered in time, by how far they had come"));
    }
    SummedGauge.add(
        registry,
        "sheaf.connections",
        "Connections to nodes that batch: the first to each node, lanes, and those of bulk()",
        null,
        tags,
        queues,
        Set::size);
    SummedGauge.add(
        registry,
        "sheaf.queue.commands",
        "Commands that wait to be written",
        null,
        tags,
        queues,
        all -> sum(all, Queue::commands));
    SummedGauge.add(
        registry,
        "sheaf.queue.size",
        "Request bytes that wait to be written",
        "bytes",
        tags,
        queues,
        all -> sum(all, Queue::bytes));
  }

  private static Counter counter(
      MeterRegistry registry, Tags tags, String name, String description) {
    return Counter.builder(name).description(description).tags(tags).register(registry);
  }

  private static double sum(Set<Queue> queues, ToLongFunction<Queue> figure) {
    return queues.stream().mapToLong(figure).sum();
  }

  void opened(Queue queue) {
    queues.add(queue);
  }

  void closed(Queue queue) {
    queues.remove(queue);
  }

  void batch(int commands, long bytes) {
    batchCommands.record(commands);
    batchBytes.record((double) bytes);
  }

  @Override
  public void fused(CommandTraits kind, int reads, int distinct) {
    FusionMeters fusion = of(kind);
    fusion.fused.increment(reads);
    if (distinct < reads) {
      fusion.shared.increment(reads - distinct);
    }
  }

  @Override
  public void unfused(CommandTraits kind, int reads) {
    of(kind).unfused.increment(reads);
  }

  private FusionMeters of(CommandTraits kind) {
    return Objects.requireNonNull(fusions.get(kind));
  }

  @Override
  public void nilChecks(int gets) {
    if (gets > 0) {
      nilChecks.increment(gets);
    }
  }

  void refused(int commands) {
    refused.increment(commands);
  }

  /** Counts commands that were not answered in time. */
  public void timedOut(Stage stage, int commands) {
    Objects.requireNonNull(timeouts.get(stage)).increment(commands);
  }

  void lost(Replay replay) {
    readAgain.increment(replay.again().size());
    outcomeUnknown.increment(replay.unknown());
  }

  /** The counters of one kind of fused reads. */
  private static final class FusionMeters {

    private final Counter fused;
    private final Counter shared;
    private final Counter unfused;

    FusionMeters(MeterRegistry registry, Tags tags, CommandTraits kind) {
      String prefix = "sheaf." + kind.name().toLowerCase(Locale.ROOT) + ".";
      String reads = kind + "s ";
      String command = String.valueOf(kind.fused());
      fused =
          counter(
              registry, tags, prefix + "fused", reads + "that travelled as part of an " + command);
      shared =
          counter(
              registry,
              tags,
              prefix + "shared",
              reads + "answered by an equal one of the same " + command);
      unfused =
          counter(
              registry, tags, prefix + "unfused", reads + "of an " + command + " that was refused");
    }
  }
}
