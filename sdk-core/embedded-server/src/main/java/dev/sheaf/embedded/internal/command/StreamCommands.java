// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.StreamGroup;
import dev.sheaf.embedded.internal.data.StreamId;
import dev.sheaf.embedded.internal.data.StreamValue;
import dev.sheaf.embedded.internal.protocol.Edition;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.Arrays;
import java.util.List;

/** XADD, XRANGE and the other stream commands without consumer groups. */
final class StreamCommands {
  private static final long MAX_ENTRY_BYTES = 1L << 30;
  private static final int DEFAULT_FULL_COUNT = 10;

  static void register(Handlers handlers) {
    handlers
        .add("xadd", StreamCommands::xadd)
        .add("xdel", StreamCommands::xdel)
        .add("xinfo|consumers", StreamCommands::infoConsumers)
        .add("xinfo|groups", StreamCommands::infoGroups)
        .add("xinfo|stream", StreamCommands::infoStream)
        .add("xlen", StreamCommands::xlen)
        .add("xrange", call -> range(call, false))
        .add("xread", StreamReading::read)
        .add("xrevrange", call -> range(call, true))
        .ok("xsetid", StreamCommands::xsetid)
        .add("xtrim", StreamCommands::xtrim);
  }

  private static void xadd(Call call) {
    StreamAddOptions options = StreamAddOptions.parse(call, true);
    int fieldsAt = options.idAt + 1;
    Errors.arityIf(call.count() - fieldsAt < 2 || (call.count() - fieldsAt) % 2 != 0, call);
    NewStreamId wanted = NewStreamId.parse(call.arg(options.idAt));
    Errors.refuseIf(
        !wanted.anySequence() && wanted.id() != null && wanted.id().isZero(),
        "ERR The ID specified in XADD must be greater than 0-0");
    byte[] key = call.arg(1);
    StreamValue stream = call.stream(key);
    if (stream == null && options.makeNoStream) {
      call.out.nil();
      return;
    }
    StreamId last = stream == null ? StreamId.MIN : stream.lastId();
    Errors.refuseIf(
        last.equals(StreamId.MAX),
        "ERR The stream has exhausted the last possible ID, unable to add more items");
    StreamId id =
        Errors.found(
            wanted.after(last, call.now()),
            "ERR The ID specified in XADD is equal or smaller than the target stream top item");
    byte[][] fields = Arrays.copyOfRange(call.args, fieldsAt, call.count());
    Errors.refuseIf(
        Arrays.stream(fields).mapToLong(f -> f.length).sum() > MAX_ENTRY_BYTES,
        "ERR Elements are too large to be stored");
    stream = call.orNew(key, stream, StreamValue::new);
    stream.append(id, fields, call.node.config.number("stream-node-max-entries"));
    call.out.bulk(id.toString());
    byte[][] effect = call.args.clone();
    effect[options.idAt] = Bytes.of(id.toString());
    call.effect(effect);
    call.changed(key);
    if (options.trims && stream.trim(options.trim()) > 0) {
      call.notifyOf("xtrim", key);
    }
  }

  private static void xtrim(Call call) {
    StreamAddOptions options = StreamAddOptions.parse(call, false);
    StreamValue stream = call.stream(call.arg(1));
    int trimmed = stream == null ? 0 : stream.trim(options.trim());
    if (trimmed > 0) {
      call.changed(call.arg(1));
    }
    call.out.integer(trimmed);
  }

  private static void xlen(Call call) {
    StreamValue stream = call.stream(call.arg(1));
    call.out.integer(stream == null ? 0 : stream.size());
  }

  private static void xdel(Call call) {
    StreamValue stream = call.stream(call.arg(1));
    if (stream == null) {
      call.out.integer(0);
      return;
    }
    int deleted = 0;
    for (StreamId id : StreamArguments.strictFrom(call, 2)) {
      deleted += stream.remove(id) ? 1 : 0;
    }
    if (deleted > 0) {
      call.changed(call.arg(1));
    }
    call.out.integer(deleted);
  }

  private static void range(Call call, boolean reverse) {
    StreamId from = StreamArguments.from(call.arg(reverse ? 3 : 2));
    StreamId to = StreamArguments.to(call.arg(reverse ? 2 : 3));
    long count = Long.MAX_VALUE;
    for (int i = 4; i < call.count(); i += 2) {
      Errors.syntaxIf(!call.is(i, "COUNT") || i + 1 == call.count());
      count = Math.max(call.longArg(i + 1), 0);
    }
    StreamValue stream = call.stream(call.arg(1));
    if (stream == null) {
      call.out.array(0);
    } else if (count == 0) {
      call.out.nilArray();
    } else {
      List<StreamId> ids = stream.ids(from, to, reverse).stream().limit(count).toList();
      StreamArguments.writeEntries(call.out, stream, ids);
    }
  }

  private static void xsetid(Call call) {
    StreamId id = StreamArguments.strict(call.arg(2));
    long added = -1;
    StreamId maxDeleted = StreamId.MIN;
    for (int i = 3; i < call.count(); i += 2) {
      boolean more = i + 1 < call.count();
      if (more && call.is(i, "ENTRIESADDED")) {
        added = call.longArg(i + 1);
        Errors.refuseIf(added < 0, "ERR entries_added must be positive");
      } else if (more && call.is(i, "MAXDELETEDID")) {
        maxDeleted = StreamArguments.strict(call.arg(i + 1));
        Errors.refuseIf(
            id.compareTo(maxDeleted) < 0,
            "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id");
      } else {
        throw Errors.syntax();
      }
    }
    StreamValue stream = Errors.found(call.stream(call.arg(1)), Errors.NO_SUCH_KEY);
    Errors.refuseIf(
        call.node.edition().isNewer() && id.compareTo(stream.maxDeletedId()) < 0,
        "ERR The ID specified in XSETID is smaller than current max_deleted_entry_id");
    checkPosition(stream, id, added);
    stream.position(
        id,
        maxDeleted.isZero() ? stream.maxDeletedId() : maxDeleted,
        added < 0 ? stream.entriesAdded() : added);
    call.groupsChanged(call.arg(1));
  }

  private static void checkPosition(StreamValue stream, StreamId id, long added) {
    if (stream.size() > 0) {
      Errors.refuseIf(
          id.compareTo(stream.newestId()) < 0,
          "ERR The ID specified in XSETID is smaller than the target stream top item");
      Errors.refuseIf(
          added != -1 && stream.size() > added,
          "ERR The entries_added specified in XSETID is smaller than the target stream length");
    }
  }

  private static StreamValue existing(Call call) {
    return Errors.found(call.stream(call.arg(2)), Errors.NO_SUCH_KEY);
  }

  private static void infoConsumers(Call call) {
    StreamGroup group = StreamArguments.named(call, existing(call));
    boolean newer = call.node.edition().isNewer();
    Reply out = call.out;
    out.array(group.consumers.size());
    for (StreamGroup.Consumer consumer : group.consumers.values()) {
      out.map(newer ? 4 : 3);
      out.key("name").bulk(consumer.name);
      out.key("pending").integer(consumer.pending.size());
      out.key("idle").integer(Math.max(0, call.now() - consumer.seenAt));
      if (newer) {
        long activeAt = consumer.activeAt;
        out.key("inactive")
            .integer(activeAt == StreamGroup.NEVER ? activeAt : call.now() - activeAt);
      }
    }
  }

  private static void infoGroups(Call call) {
    StreamValue stream = existing(call);
    Reply out = call.out;
    out.array(stream.groups.size());
    stream.groups.forEach(
        (name, group) -> {
          out.map(6);
          out.key("name").bulk(name);
          out.key("consumers").integer(group.consumers.size());
          out.key("pending").integer(group.pending.size());
          writeProgress(call, stream, group);
        });
  }

  private static void writeProgress(Call call, StreamValue stream, StreamGroup group) {
    Reply out = call.out;
    out.key("last-delivered-id").bulk(group.lastId().toString());
    out.bulk("entries-read");
    long read = group.entriesRead();
    out.orNil(read == StreamGroup.UNKNOWN ? null : (Long) read, out::integer);
    out.key("lag").orNil(stream.lag(group, lagRule(call)), out::integer);
  }

  private static StreamValue.LagRule lagRule(Call call) {
    Edition edition = call.node.edition();
    return edition.isValkey()
        ? StreamValue.LagRule.VALKEY
        : edition.has("7.4.0") ? StreamValue.LagRule.REDIS_7_4 : StreamValue.LagRule.REDIS_7_0;
  }

  private static void infoStream(Call call) {
    StreamValue stream = existing(call);
    boolean full = call.count() > 3;
    long count = DEFAULT_FULL_COUNT;
    if (full) {
      Errors.wrongUseIf(!call.is(3, "FULL") || (call.count() != 4 && call.count() != 6), call);
      if (call.count() == 6) {
        Errors.wrongUseIf(!call.is(4, "COUNT"), call);
        count = call.longArg(5);
        count = count < 0 ? DEFAULT_FULL_COUNT : count == 0 ? Long.MAX_VALUE : count;
      }
    }
    Reply out = call.out;
    out.map(full ? 9 : 10);
    out.key("length").integer(stream.size());
    out.key("radix-tree-keys").integer(stream.nodes());
    out.key("radix-tree-nodes").integer(stream.nodes() + 1L);
    out.key("last-generated-id").bulk(stream.lastId().toString());
    out.key("max-deleted-entry-id").bulk(stream.maxDeletedId().toString());
    out.key("entries-added").integer(stream.entriesAdded());
    out.key("recorded-first-entry-id").bulk(stream.firstId().toString());
    if (full) {
      writeFull(call, stream, count);
    } else {
      out.key("groups").integer(stream.groups.size());
      out.bulk("first-entry");
      entryOrNil(out, stream, stream.firstId());
      out.bulk("last-entry");
      entryOrNil(out, stream, stream.newestId());
    }
  }

  private static void entryOrNil(Reply out, StreamValue stream, StreamId id) {
    out.orNil(stream.get(id), fields -> StreamArguments.writeEntry(out, id, fields));
  }

  private static void writeFull(Call call, StreamValue stream, long count) {
    Reply out = call.out;
    out.bulk("entries");
    var ids = stream.ids(StreamId.MIN, StreamId.MAX, false);
    StreamArguments.writeEntries(out, stream, ids.stream().limit(count).toList());
    out.key("groups").array(stream.groups.size());
    stream.groups.forEach(
        (name, group) -> {
          out.map(7);
          out.key("name").bulk(name);
          writeProgress(call, stream, group);
          out.key("pel-count").integer(group.pending.size());
          out.bulk("pending");
          writePending(out, group.pending, count, true);
          out.bulk("consumers");
          writeConsumers(call, group, count);
        });
  }

  private static void writeConsumers(Call call, StreamGroup group, long count) {
    boolean newer = call.node.edition().isNewer();
    Reply out = call.out;
    out.array(group.consumers.size());
    for (StreamGroup.Consumer consumer : group.consumers.values()) {
      out.map(newer ? 5 : 4);
      out.key("name").bulk(consumer.name);
      out.key("seen-time").integer(consumer.seenAt);
      if (newer) {
        out.key("active-time").integer(consumer.activeAt);
      }
      out.key("pel-count").integer(consumer.pending.size());
      out.bulk("pending");
      writePending(out, consumer.pending, count, false);
    }
  }

  private static void writePending(
      Reply out,
      java.util.NavigableMap<StreamId, StreamGroup.Pending> pending,
      long count,
      boolean withConsumer) {
    int shown = (int) Math.min(count, pending.size());
    out.array(shown);
    pending.entrySet().stream()
        .limit(shown)
        .forEach(
            entry -> {
              out.array(withConsumer ? 4 : 3);
              out.bulk(entry.getKey().toString());
              if (withConsumer) {
                out.bulk(entry.getValue().consumerName());
              }
              out.integer(entry.getValue().deliveredAt());
              out.integer(entry.getValue().deliveries());
            });
  }
}
