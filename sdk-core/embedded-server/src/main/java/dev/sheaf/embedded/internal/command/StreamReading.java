// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.StreamGroup;
import dev.sheaf.embedded.internal.data.StreamId;
import dev.sheaf.embedded.internal.data.StreamValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * XREAD and XREADGROUP: their arguments, the entries available at once, and those that arrive while
 * they wait.
 */
final class StreamReading {
  private static final long BLOCKED_COUNT = 1000;

  private final Call call;
  private final boolean grouped;
  private long count;
  private long deadline = -1;
  private boolean noAck;
  private int groupAt;
  private int keysAt;
  private int streams;
  private final List<@Nullable StreamId> after = new ArrayList<>();

  private StreamReading(Call call, boolean grouped) {
    this.call = call;
    this.grouped = grouped;
  }

  static void read(Call call) {
    new StreamReading(call, false).run();
  }

  static void readGroup(Call call) {
    new StreamReading(call, true).run();
  }

  private void parse() {
    for (int i = 1; i < call.count() && keysAt == 0; i++) {
      String option = call.option(i);
      switch (option) {
        case "BLOCK" -> {
          call.next(i);
          Errors.refuseIf(
              call.inScript && !call.node.edition().isNewer(),
              "ERR %s command is not allowed with BLOCK option from scripts",
              call.text(0));
          deadline = blockUntil(call, ++i);
        }
        case "COUNT" -> count = Math.max(0, call.longArg(call.next(i++)));
        case "STREAMS" -> keysAt = call.next(i);
        case "GROUP" -> {
          call.next(i + 1);
          requireGrouped(option);
          groupAt = i + 1;
          i += 2;
        }
        case "NOACK" -> {
          requireGrouped(option);
          noAck = true;
        }
        default -> throw Errors.syntax();
      }
    }
    Errors.syntaxIf(keysAt == 0);
    streams = call.count() - keysAt;
    Errors.refuseIf(
        streams % 2 != 0,
        "ERR Unbalanced %s list of streams: for each stream key an ID or '$' must be specified.",
        grouped && call.node.edition().isNewer() ? "XREADGROUP" : "XREAD");
    streams /= 2;
    Errors.refuseIf(grouped && groupAt == 0, "ERR Missing GROUP option for XREADGROUP");
  }

  private void requireGrouped(String option) {
    Errors.refuseIf(
        !grouped,
        "ERR The %s option is only supported by XREADGROUP. You called XREAD instead.",
        option);
  }

  private static long blockUntil(Call call, int at) {
    long millis = call.longArg(at, "ERR timeout is not an integer or out of range");
    Errors.refuseIf(millis < 0, "ERR timeout is negative");
    Errors.refuseIf(millis > Long.MAX_VALUE - call.now(), "ERR timeout is out of range");
    return millis == 0 ? 0 : call.now() + millis;
  }

  private byte[] key(int stream) {
    return call.arg(keysAt + stream);
  }

  /** The ids after which to read; null for entries that no consumer of the group has received. */
  private void resolveIds() {
    for (int i = 0; i < streams; i++) {
      StreamValue stream = call.stream(key(i));
      if (grouped && (stream == null || stream.group(call.arg(groupAt)) == null)) {
        throw Errors.of(
            "NOGROUP No such key '%s' or consumer group '%s' in XREADGROUP with GROUP option"
                .formatted(Bytes.untilNul(key(i)), call.textOfC(groupAt)));
      }
      int idAt = keysAt + streams + i;
      if (call.is(idAt, "$")) {
        Errors.refuseIf(
            grouped,
            "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the"
                + " history of this consumer by specifying a proper ID, or use the > ID to get"
                + " new messages. The $ ID would just return an empty result set.");
        after.add(stream == null ? StreamId.MIN : stream.lastId());
      } else if (call.is(idAt, "+") && Scan.isOfNewest(call)) {
        after.add(beforeLast(stream));
      } else if (call.is(idAt, ">")) {
        Errors.refuseIf(
            !grouped,
            "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group>"
                + " <consumer> option.");
        after.add(null);
      } else {
        after.add(StreamArguments.strict(call.arg(idAt)));
      }
    }
  }

  /** Returns the id before the stream's last entry. */
  private StreamId beforeLast(@Nullable StreamValue stream) {
    Errors.refuseIf(
        grouped,
        "ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history"
            + " of this consumer by specifying a proper ID, or use the > ID to get new messages."
            + " The + ID would just return an empty result set.");
    if (stream == null || stream.size() == 0) {
      return stream == null ? StreamId.MIN : stream.lastId();
    }
    return stream.newestId().previous();
  }

  private void run() {
    parse();
    resolveIds();
    if (grouped) {
      call.effect(withoutBlock());
    }
    if (grouped && call.node.edition().isNewer()) {
      meetConsumers();
    }
    List<Integer> ready = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      if (isReady(i)) {
        ready.add(i);
      }
    }
    if (!ready.isEmpty()) {
      head(ready.size());
      ready.forEach(i -> serve(i, count));
      return;
    }
    if (deadline < 0) {
      call.out.nilArray();
      return;
    }
    List<byte[]> keys = Arrays.asList(call.args).subList(keysAt, keysAt + streams);
    Blocking.await(call, keys, deadline, this::serveBlocked, call.out::nilArray);
  }

  /** Newer servers create the consumer even if there is nothing to read. */
  private void meetConsumers() {
    for (int i = 0; i < streams; i++) {
      StreamValue stream = Objects.requireNonNull(call.stream(key(i)));
      consumer(Objects.requireNonNull(stream.group(call.arg(groupAt))), key(i));
    }
  }

  private byte[][] withoutBlock() {
    List<byte[]> words = new ArrayList<>(Arrays.asList(call.args));
    for (int i = 1; i < keysAt - 2; i++) {
      if (i == groupAt || i == groupAt + 1) {
        continue;
      }
      if (Bytes.is(words.get(i), "BLOCK")) {
        words.subList(i, i + 2).clear();
        break;
      }
    }
    return words.toArray(new byte[0][]);
  }

  private void head(int ready) {
    if (call.out.protocol() == 2) {
      call.out.array(ready);
    } else {
      call.out.map(ready);
    }
  }

  private boolean isReady(int i) {
    StreamValue stream = call.stream(key(i));
    if (stream == null) {
      return false;
    }
    StreamId from = after.get(i);
    if (!grouped) {
      return from != null && stream.size() > 0 && stream.newestId().compareTo(from) > 0;
    }
    StreamGroup group = Objects.requireNonNull(stream.group(call.arg(groupAt)));
    return from != null || (stream.size() > 0 && stream.newestId().compareTo(group.lastId()) > 0);
  }

  private StreamGroup.Consumer consumer(StreamGroup group, byte[] key) {
    return StreamArguments.consumer(call, group, key, call.arg(groupAt + 1));
  }

  private boolean serveBlocked(byte[] key) {
    if (grouped && !(call.db().peek(key) instanceof StreamValue)) {
      return Dispatcher.refuse(call, "UNBLOCKED the stream key no longer exists");
    }
    StreamValue stream = call.stream(key);
    if (stream == null) {
      return false;
    }
    if (grouped && stream.group(call.arg(groupAt)) == null) {
      return Dispatcher.refuse(
          call, "NOGROUP the consumer group this client was blocked on no longer exists");
    }
    for (int i = 0; i < streams; i++) {
      if (Arrays.equals(key(i), key) && isReady(i)) {
        head(1);
        serve(i, count == 0 ? BLOCKED_COUNT : count);
        return true;
      }
    }
    return false;
  }

  private void serve(int i, long most) {
    byte[] key = key(i);
    StreamValue stream = Objects.requireNonNull(call.stream(key));
    if (call.out.protocol() == 2) {
      call.out.array(2);
    }
    call.out.bulk(key);
    StreamId from = after.get(i);
    if (!grouped) {
      StreamArguments.writeEntries(
          call.out, stream, take(stream, Objects.requireNonNull(from), most));
      return;
    }
    StreamGroup group = Objects.requireNonNull(stream.group(call.arg(groupAt)));
    StreamGroup.Consumer consumer = consumer(group, key);
    if (from == null) {
      deliver(stream, group, consumer, most);
    } else {
      writeHistory(stream, consumer, from, most);
    }
    call.node.dirtied();
  }

  private static List<StreamId> take(StreamValue stream, StreamId after, long most) {
    return after.equals(StreamId.MAX)
        ? List.of()
        : limit(stream.ids(after.next(), StreamId.MAX, false), most);
  }

  /** Returns the first elements; zero means all. */
  private static List<StreamId> limit(Collection<StreamId> ids, long most) {
    return ids.stream().limit(most == 0 ? Long.MAX_VALUE : most).toList();
  }

  private void deliver(
      StreamValue stream, StreamGroup group, StreamGroup.Consumer consumer, long most) {
    List<StreamId> ids = take(stream, group.lastId(), most);
    if (!ids.isEmpty() && !noAck) {
      consumer.activeAt = call.now();
    }
    for (StreamId id : ids) {
      long read = group.entriesRead();
      if (read != StreamGroup.UNKNOWN && !stream.hasTombstonesFrom(id)) {
        read++;
      } else if (stream.entriesAdded() > 0) {
        read = stream.entriesUpTo(id);
      }
      group.position(id, read);
      if (!noAck) {
        group.assign(id, consumer, call.now()).delivered(call.now(), 1);
      }
    }
    StreamArguments.writeEntries(call.out, stream, ids);
  }

  private void writeHistory(
      StreamValue stream, StreamGroup.Consumer consumer, StreamId after, long most) {
    List<StreamId> ids = limit(consumer.pending.tailMap(after, false).keySet(), most);
    call.out.array(ids.size());
    for (StreamId id : ids) {
      byte[][] fields = stream.get(id);
      if (fields == null) {
        call.out.array(2);
        call.out.bulk(id.toString());
        call.out.nilArray();
      } else {
        StreamArguments.writeEntry(call.out, id, fields);
        StreamGroup.Pending entry = Objects.requireNonNull(consumer.pending.get(id));
        entry.delivered(call.now(), entry.deliveries() + 1);
      }
    }
  }
}
