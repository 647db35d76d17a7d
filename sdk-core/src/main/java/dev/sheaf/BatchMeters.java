package dev.sheaf;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * What the node connections of one client report about their batches. Their one tag is the client's
 * name, so their number does not grow with nodes, keys or commands.
 *
 * <p>Thread-safe. Recorded once for each batch, not for each command.
 */
final class BatchMeters {

  private final Set<NodePipeline> pipelines = ConcurrentHashMap.newKeySet();
  private final DistributionSummary batchCommands;
  private final DistributionSummary batchBytes;
  private final Counter fusedGets;
  private final Counter sharedGets;
  private final Counter unfusedGets;
  private final Counter nilChecks;
  private final Counter refused;
  private final Counter expired;
  private final Counter readAgain;
  private final Counter outcomeUnknown;

  BatchMeters(MeterRegistry registry, String client) {
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
    fusedGets =
        counter(registry, tags, "sheaf.get.fused", "GETs that travelled as part of an MGET");
    sharedGets =
        counter(
            registry, tags, "sheaf.get.shared", "GETs answered by an equal one of the same MGET");
    unfusedGets = counter(registry, tags, "sheaf.get.unfused", "GETs of an MGET that was refused");
    nilChecks =
        counter(registry, tags, "sheaf.get.nil.checks", "GETs asked again because of a nil");
    refused = counter(registry, tags, "sheaf.queue.refused", "Commands refused by a full queue");
    expired = counter(registry, tags, "sheaf.queue.expired", "Commands that timed out in a queue");
    readAgain =
        counter(registry, tags, "sheaf.lost.repeated", "Reads sent again after a lost connection");
    outcomeUnknown =
        counter(
            registry, tags, "sheaf.lost.unknown", "Commands whose outcome a lost connection hides");
    Gauge.builder("sheaf.queue.commands", pipelines, all -> sum(all, NodePipeline::queuedCommands))
        .description("Commands that wait to be written")
        .tags(tags)
        .register(registry);
    Gauge.builder("sheaf.queue.size", pipelines, all -> sum(all, NodePipeline::queuedBytes))
        .baseUnit("bytes")
        .description("Request bytes that wait to be written")
        .tags(tags)
        .register(registry);
  }

  private static Counter counter(
      MeterRegistry registry, Tags tags, String name, String description) {
    return Counter.builder(name).description(description).tags(tags).register(registry);
  }

  private static double sum(Set<NodePipeline> pipelines, ToLongFunction<NodePipeline> figure) {
    return pipelines.stream().mapToLong(figure).sum();
  }

  void opened(NodePipeline pipeline) {
    pipelines.add(pipeline);
  }

  void closed(NodePipeline pipeline) {
    pipelines.remove(pipeline);
  }

  void batch(int commands, long bytes) {
    batchCommands.record(commands);
    batchBytes.record(bytes);
  }

  void fused(int gets, int distinctKeys) {
    fusedGets.increment(gets);
    if (distinctKeys < gets) {
      sharedGets.increment(gets - distinctKeys);
    }
  }

  void unfused(int gets) {
    unfusedGets.increment(gets);
  }

  void nilChecks(int gets) {
    if (gets > 0) {
      nilChecks.increment(gets);
    }
  }

  void refused(int commands) {
    refused.increment(commands);
  }

  void expired() {
    expired.increment();
  }

  void lost(int repeated, int unknown) {
    readAgain.increment(repeated);
    outcomeUnknown.increment(unknown);
  }
}
