// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.node.LatencyEvents;
import dev.sheaf.embedded.internal.node.SlowLog;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** MONITOR, SLOWLOG and LATENCY: observation of commands. */
final class WatchCommands {
  private static final int DEFAULT_ENTRIES = 10;

  static void register(Handlers handlers) {
    handlers
        .add("commandlog|get", call -> entries(call, kept(call, 3)))
        .add("commandlog|len", call -> call.out.integer(kept(call, 2).size()))
        .add("commandlog|reset", call -> clear(call, kept(call, 2)))
        .add("latency|history", WatchCommands::latencyHistory)
        .add("latency|doctor", WatchCommands::latencyDoctor)
        .add("latency|histogram", call -> call.out.map(0))
        .add("latency|latest", WatchCommands::latencyLatest)
        .add("latency|reset", WatchCommands::latencyReset)
        .add("monitor", WatchCommands::monitor)
        .add("slowlog|get", WatchCommands::slowlogGet)
        .add("slowlog|len", call -> call.out.integer(call.node.slowLog.entries.size()))
        .add("slowlog|reset", call -> clear(call, call.node.slowLog.entries));
  }

  private static void clear(Call call, Deque<SlowLog.Entry> entries) {
    entries.clear();
    call.out.ok();
  }

  /** Returns the samples of an event; only slow commands are recorded. */
  private static Deque<SlowLog.Entry> kept(Call call, int at) {
    return switch (Bytes.lower(call.arg(at))) {
      case "slow" -> call.node.slowLog.entries;
      case "large-request", "large-reply" -> new ArrayDeque<>();
      default ->
          throw Errors.of(
              "ERR type should be one of the following: slow, large-request, large-reply");
    };
  }

  private static void monitor(Call call) {
    Errors.refuseIf(!call.mayBlock, "ERR MONITOR isn't allowed for DENY BLOCKING client");
    if (call.node.monitors.add(call.client)) {
      call.out.ok();
    }
  }

  private static void slowlogGet(Call call) {
    Errors.wrongUseIf(call.count() > 3, call);
    entries(call, call.node.slowLog.entries);
  }

  private static void entries(Call call, Deque<SlowLog.Entry> entries) {
    long wanted = DEFAULT_ENTRIES;
    if (call.count() > 2) {
      long count =
          call.longArg(2, -1, Long.MAX_VALUE, "ERR count should be greater than or equal to -1");
      wanted = count < 0 ? entries.size() : count;
    }
    int size = (int) Math.min(wanted, entries.size());
    call.out.array(size);
    entries.stream().limit(size).forEach(entry -> write(call.out, entry));
  }

  private static void write(Reply out, SlowLog.Entry entry) {
    List<byte[]> args = List.of(entry.args());
    out.list(entry.id(), entry.time(), entry.micros(), args, entry.address(), entry.clientName());
  }

  private static void latencyDoctor(Call call) {
    StringBuilder report = new StringBuilder();
    if (call.node.config.latencyThresholdMillis() == 0) {
      report.append("CONFIG SET latency-monitor-threshold <milliseconds> has events noted.\n");
    }
    call.node.latencyEvents.byEvent.forEach(
        (name, series) ->
            report.append(
                "%s: %s times, the longest took %s ms\n"
                    .formatted(name, series.samples.size(), series.longest())));
    call.out.verbatim(Bytes.of(report.toString()));
  }

  private static void latencyHistory(Call call) {
    LatencyEvents.Series series = call.node.latencyEvents.byEvent.get(call.text(2));
    call.out.array(series == null ? 0 : series.samples.size());
    if (series != null) {
      for (LatencyEvents.Sample sample : series.samples) {
        call.out.list(sample.time(), sample.millis());
      }
    }
  }

  private static void latencyLatest(Call call) {
    var events = call.node.latencyEvents.byEvent;
    call.out.array(events.size());
    events.forEach(
        (name, series) -> {
          LatencyEvents.Sample last = series.samples.getLast();
          call.out.list(name, last.time(), last.millis(), series.longest());
        });
  }

  private static void latencyReset(Call call) {
    var events = call.node.latencyEvents.byEvent;
    int before = events.size();
    if (call.count() == 2) {
      events.clear();
    }
    for (int i = 2; i < call.count(); i++) {
      events.remove(call.text(i));
    }
    call.out.integer(before - events.size());
  }
}
