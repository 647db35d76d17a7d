// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.StreamGroup;
import dev.sheaf.embedded.internal.data.StreamId;
import dev.sheaf.embedded.internal.data.StreamValue;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** XGROUP, XREADGROUP, XACK and the other commands on consumer groups. */
final class StreamGroupCommands {
  private static final int ATTEMPTS_PER_COUNT = 10;
  private static final long DEFAULT_AUTOCLAIM = 100;
  private static final long MAX_AUTOCLAIM = Long.MAX_VALUE / 16;

  static void register(Handlers handlers) {
    handlers
        .add("xack", StreamGroupCommands::ack)
        .add("xautoclaim", StreamGroupCommands::autoClaim)
        .add("xclaim", StreamGroupCommands::claim)
        .ok("xgroup|create", StreamGroupCommands::create)
        .add("xgroup|createconsumer", StreamGroupCommands::createConsumer)
        .add("xgroup|delconsumer", StreamGroupCommands::deleteConsumer)
        .add("xgroup|destroy", StreamGroupCommands::destroy)
        .ok("xgroup|setid", StreamGroupCommands::setId)
        .add("xpending", StreamGroupCommands::pending)
        .add("xreadgroup", StreamReading::readGroup);
  }

  /** Returns the stream of a subcommand, which must exist. */
  private static StreamValue required(@Nullable StreamValue stream) {
    if (stream == null) {
      throw Errors.of(
          "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want"
              + " to use the MKSTREAM option to create an empty stream automatically.");
    }
    return stream;
  }

  private static StreamGroup requiredGroup(Call call) {
    return StreamArguments.named(call, required(call.stream(call.arg(2))));
  }

  /** MKSTREAM and ENTRIESREAD. */
  private record GroupOptions(boolean makeStream, long entriesRead) {
    static GroupOptions parse(Call call, boolean create) {
      boolean makeStream = false;
      long read = StreamGroup.UNKNOWN;
      for (int i = 5; i < call.count(); i++) {
        if (create && call.is(i, "MKSTREAM")) {
          makeStream = true;
        } else if (call.is(i, "ENTRIESREAD") && i + 1 < call.count()) {
          read = call.longArg(++i);
          Errors.refuseIf(
              read < 0 && read != StreamGroup.UNKNOWN,
              "ERR value for ENTRIESREAD must be positive or -1");
        } else {
          throw Errors.wrongUse(call);
        }
      }
      return new GroupOptions(makeStream, read);
    }
  }

  private static void create(Call call) {
    GroupOptions options = GroupOptions.parse(call, true);
    byte[] key = call.arg(2);
    StreamValue stream = call.stream(key);
    if (!options.makeStream()) {
      required(stream);
    }
    Errors.wrongUseIf(call.count() > 8, call);
    StreamId id = position(call, stream);
    if (stream == null) {
      stream = call.orNew(key, null, StreamValue::new);
      call.db().changed(key);
    }
    Errors.refuseIf(
        stream.group(call.arg(3)) != null, "BUSYGROUP Consumer Group name already exists");
    stream.groups.put(call.arg(3), new StreamGroup(id, options.entriesRead()));
    call.groupsChanged(key);
  }

  private static StreamId position(Call call, @Nullable StreamValue stream) {
    if (call.is(4, "$")) {
      return stream == null ? StreamId.MIN : stream.lastId();
    }
    return StreamArguments.strict(call.arg(4));
  }

  private static void setId(Call call) {
    GroupOptions options = GroupOptions.parse(call, false);
    StreamGroup group = requiredGroup(call);
    StreamValue stream = required(call.stream(call.arg(2)));
    StreamId id = call.is(4, "$") ? stream.lastId() : StreamArguments.withEnds(call.arg(4));
    group.position(id, options.entriesRead());
    call.groupsChanged(call.arg(2));
  }

  private static void destroy(Call call) {
    StreamValue stream = required(call.stream(call.arg(2)));
    boolean destroyed = stream.groups.remove(call.arg(3)) != null;
    if (destroyed) {
      call.groupsChanged(call.arg(2));
    }
    call.out.integer(destroyed ? 1 : 0);
  }

  private static void createConsumer(Call call) {
    StreamGroup group = requiredGroup(call);
    boolean created = !group.consumers.containsKey(call.arg(4));
    if (created) {
      group.consumer(call.arg(4), call.now());
      call.groupsChanged(call.arg(2));
    }
    call.out.integer(created ? 1 : 0);
  }

  private static void deleteConsumer(Call call) {
    int pending = requiredGroup(call).removeConsumer(call.arg(4));
    if (pending >= 0) {
      call.groupsChanged(call.arg(2));
    }
    call.out.integer(Math.max(0, pending));
  }

  private static void ack(Call call) {
    StreamValue stream = call.stream(call.arg(1));
    StreamGroup group = stream == null ? null : stream.group(call.arg(2));
    if (group == null) {
      call.out.integer(0);
      return;
    }
    int acknowledged = 0;
    for (StreamId id : StreamArguments.strictFrom(call, 3)) {
      acknowledged += group.acknowledge(id) ? 1 : 0;
    }
    if (acknowledged > 0) {
      call.node.dirtied();
    }
    call.out.integer(acknowledged);
  }

  private static void pending(Call call) {
    int n = call.count();
    if (n == 3) {
      summary(call, StreamArguments.group(call, 1, 2));
      return;
    }
    Errors.syntaxIf(n < 6 || n > 9);
    int at = 3;
    long minIdle = 0;
    if (call.is(3, "IDLE")) {
      minIdle = call.longArg(4);
      Errors.syntaxIf(n < 8);
      at = 5;
    }
    long count = Math.max(0, call.longArg(at + 2));
    StreamId from = StreamArguments.from(call.arg(at));
    StreamId to = StreamArguments.to(call.arg(at + 1));
    StreamGroup group = StreamArguments.group(call, 1, 2);
    NavigableMap<StreamId, StreamGroup.Pending> entries = group.pending;
    if (at + 3 < n) {
      StreamGroup.Consumer consumer = group.consumers.get(call.arg(at + 3));
      if (consumer == null) {
        call.out.array(0);
        return;
      }
      entries = consumer.pending;
    }
    list(call, entries, from, to, count, minIdle);
  }

  private static void list(
      Call call,
      NavigableMap<StreamId, StreamGroup.Pending> entries,
      StreamId from,
      StreamId to,
      long count,
      long minIdle) {
    List<Map.Entry<StreamId, StreamGroup.Pending>> found = new ArrayList<>();
    if (from.compareTo(to) <= 0) {
      for (var entry : entries.subMap(from, true, to, true).entrySet()) {
        if (found.size() >= count) {
          break;
        }
        if (call.now() - entry.getValue().deliveredAt() >= minIdle) {
          found.add(entry);
        }
      }
    }
    call.out.array(found.size());
    for (var entry : found) {
      call.out.array(4);
      call.out.bulk(entry.getKey().toString());
      call.out.bulk(entry.getValue().consumerName());
      call.out.integer(Math.max(0, call.now() - entry.getValue().deliveredAt()));
      call.out.integer(entry.getValue().deliveries());
    }
  }

  private static void summary(Call call, StreamGroup group) {
    Reply out = call.out;
    out.array(4);
    out.integer(group.pending.size());
    if (group.pending.isEmpty()) {
      out.nil();
      out.nil();
      out.nilArray();
      return;
    }
    out.bulk(group.pending.firstKey().toString());
    out.bulk(group.pending.lastKey().toString());
    List<StreamGroup.Consumer> busy =
        group.consumers.values().stream().filter(c -> !c.pending.isEmpty()).toList();
    out.array(busy.size());
    for (StreamGroup.Consumer consumer : busy) {
      out.list(consumer.name, Integer.toString(consumer.pending.size()));
    }
  }

  private static long number(Call call, int at, String what, String command) {
    return call.longArg(at, "ERR Invalid " + what + " argument for " + command);
  }

  /** Newer servers create the consumer even if there is nothing to claim. */
  private static void meetConsumer(Call call, StreamGroup group) {
    if (call.node.edition().isNewer()) {
      consumer(call, group);
    }
  }

  /** Returns the claiming consumer, created when there is something to claim. */
  private static StreamGroup.Consumer consumer(Call call, StreamGroup group) {
    return StreamArguments.consumer(call, group, call.arg(1), call.arg(3));
  }

  private static StreamGroup.Pending assign(Call call, StreamGroup group, StreamId id) {
    StreamGroup.Consumer consumer = consumer(call, group);
    consumer.activeAt = call.now();
    return group.assign(id, consumer, call.now());
  }

  /** The options of XCLAIM after its ids. */
  private static final class Claim {
    final List<StreamId> ids = new ArrayList<>();
    boolean force;
    boolean justId;
    long retryCount = -1;
    long deliveredAt = -1;
    StreamId lastId = StreamId.MIN;

    static Claim parse(Call call) {
      Claim claim = new Claim();
      int i = 5;
      for (; i < call.count(); i++) {
        StreamId id = StreamArguments.tryStrict(call.arg(i));
        if (id == null) {
          break;
        }
        claim.ids.add(id);
      }
      for (; i < call.count(); i++) {
        switch (i + 1 < call.count() || call.is(i, "FORCE") || call.is(i, "JUSTID")
            ? call.option(i)
            : "") {
          case "FORCE" -> claim.force = true;
          case "JUSTID" -> claim.justId = true;
          case "IDLE" ->
              claim.deliveredAt = call.now() - number(call, ++i, "IDLE option", "XCLAIM");
          case "TIME" -> claim.deliveredAt = number(call, ++i, "TIME option", "XCLAIM");
          case "RETRYCOUNT" -> claim.retryCount = number(call, ++i, "RETRYCOUNT option", "XCLAIM");
          case "LASTID" -> claim.lastId = StreamArguments.strict(call.arg(++i));
          default -> throw Errors.of("ERR Unrecognized XCLAIM option '" + call.textOfC(i) + "'");
        }
      }
      if (claim.deliveredAt < 0 || claim.deliveredAt > call.now()) {
        claim.deliveredAt = call.now();
      }
      return claim;
    }
  }

  private static void claim(Call call) {
    StreamGroup group = StreamArguments.group(call, 1, 2);
    StreamValue stream = java.util.Objects.requireNonNull(call.stream(call.arg(1)));
    long minIdle = Math.max(0, number(call, 4, "min-idle-time", "XCLAIM"));
    Claim claim = Claim.parse(call);
    if (claim.lastId.compareTo(group.lastId()) > 0) {
      group.position(claim.lastId, group.entriesRead());
      call.node.dirtied();
    }
    meetConsumer(call, group);
    List<StreamId> claimed = new ArrayList<>();
    for (StreamId id : claim.ids) {
      StreamGroup.Pending entry = group.pending.get(id);
      if (stream.get(id) == null) {
        if (group.acknowledge(id)) {
          call.node.dirtied();
        }
        continue;
      }
      boolean tooYoung = entry != null && call.now() - entry.deliveredAt() < minIdle;
      if (tooYoung || (entry == null && !claim.force)) {
        continue;
      }
      StreamGroup.Pending owned = assign(call, group, id);
      long times = owned.deliveries() + (claim.justId ? 0 : 1);
      owned.delivered(claim.deliveredAt, claim.retryCount >= 0 ? claim.retryCount : times);
      call.node.dirtied();
      claimed.add(id);
    }
    writeClaimed(call, stream, claimed, claim.justId);
  }

  private static void writeClaimed(
      Call call, StreamValue stream, List<StreamId> claimed, boolean justId) {
    if (justId) {
      call.out.each(claimed, id -> call.out.bulk(id.toString()));
    } else {
      StreamArguments.writeEntries(call.out, stream, claimed);
    }
  }

  private static void autoClaim(Call call) {
    long minIdle = Math.max(0, number(call, 4, "min-idle-time", "XAUTOCLAIM"));
    StreamId from = StreamArguments.from(call.arg(5));
    long count = DEFAULT_AUTOCLAIM;
    boolean justId = false;
    for (int i = 6; i < call.count(); i++) {
      if (call.is(i, "COUNT") && i + 1 < call.count()) {
        long wanted = call.longArg(++i, 1, MAX_AUTOCLAIM, "ERR COUNT must be > 0");
        count = wanted;
      } else if (call.is(i, "JUSTID")) {
        justId = true;
      } else {
        throw Errors.syntax();
      }
    }
    StreamGroup group = StreamArguments.group(call, 1, 2);
    StreamValue stream = java.util.Objects.requireNonNull(call.stream(call.arg(1)));
    long attempts =
        count > Long.MAX_VALUE / ATTEMPTS_PER_COUNT ? count : count * ATTEMPTS_PER_COUNT;
    meetConsumer(call, group);
    List<StreamId> claimed = new ArrayList<>();
    List<StreamId> deleted = new ArrayList<>();
    StreamId at = group.pending.ceilingKey(from);
    while (at != null && attempts-- > 0 && claimed.size() + deleted.size() < count) {
      StreamGroup.Pending entry = java.util.Objects.requireNonNull(group.pending.get(at));
      if (stream.get(at) == null) {
        group.acknowledge(at);
        deleted.add(at);
        call.node.dirtied();
      } else if (call.now() - entry.deliveredAt() >= minIdle) {
        StreamGroup.Pending owned = assign(call, group, at);
        owned.delivered(call.now(), owned.deliveries() + (justId ? 0 : 1));
        claimed.add(at);
        call.node.dirtied();
      }
      at = group.pending.higherKey(at);
    }
    call.out.array(3);
    call.out.bulk((at == null ? StreamId.MIN : at).toString());
    writeClaimed(call, stream, claimed, justId);
    call.out.each(deleted, id -> call.out.bulk(id.toString()));
  }
}
