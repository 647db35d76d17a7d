// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.StreamGroup;
import dev.sheaf.embedded.internal.data.StreamId;
import dev.sheaf.embedded.internal.data.StreamValue;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses the ids of stream commands, and finds their streams and groups. */
final class StreamArguments {
  static final String INVALID_ID = "ERR Invalid stream ID specified as stream command argument";
  private static final int MAX_ID = 127;

  /** Parses an id with one or two parts, without {@code -} and {@code +}. */
  static StreamId strict(byte[] arg) {
    return Errors.found(tryStrict(arg), INVALID_ID);
  }

  /** Parses an id, {@code -} or {@code +}. */
  static StreamId withEnds(byte[] arg) {
    return interval(arg, 0);
  }

  /** Parses all arguments from an index on, before anything is done. */
  static List<StreamId> strictFrom(Call call, int first) {
    List<StreamId> ids = new ArrayList<>();
    for (int i = first; i < call.count(); i++) {
      ids.add(strict(call.arg(i)));
    }
    return ids;
  }

  static @Nullable StreamId tryStrict(byte[] arg) {
    boolean special = arg.length == 1 && (arg[0] == '-' || arg[0] == '+');
    return special ? null : parse(Bytes.text(arg), 0);
  }

  private static @Nullable StreamId parse(String text, long missingSequence) {
    if (text.length() > MAX_ID) {
      return null;
    }
    if (text.equals("-")) {
      return StreamId.MIN;
    }
    if (text.equals("+")) {
      return StreamId.MAX;
    }
    int nul = text.indexOf(0);
    if (nul >= 0) {
      return parse(text.substring(0, nul), missingSequence);
    }
    int dash = text.indexOf('-');
    Long millis = unsigned(dash < 0 ? text : text.substring(0, dash));
    Long sequence = dash < 0 ? (Long) missingSequence : unsigned(text.substring(dash + 1));
    return millis == null || sequence == null ? null : new StreamId(millis, sequence);
  }

  /** As C's strtoull of the whole text: leading spaces are allowed. */
  static @Nullable Long unsigned(String text) {
    int from = 0;
    while (from < text.length()
        && (text.charAt(from) == ' ' || (text.charAt(from) >= 9 && text.charAt(from) <= 13))) {
      from++;
    }
    try {
      return text.startsWith("-", from)
          ? null
          : (Long) Long.parseUnsignedLong(text.substring(from));
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /**
   * Parses the start of a range: {@code -}, {@code +}, an id, or an exclusive one after {@code (}.
   */
  static StreamId from(byte[] arg) {
    if (!isExclusive(arg)) {
      return interval(arg, 0);
    }
    StreamId id = strict(java.util.Arrays.copyOfRange(arg, 1, arg.length));
    Errors.refuseIf(id.equals(StreamId.MAX), "ERR invalid start ID for the interval");
    return id.next();
  }

  /** Parses the end of a range. */
  static StreamId to(byte[] arg) {
    if (!isExclusive(arg)) {
      return interval(arg, -1);
    }
    byte[] rest = java.util.Arrays.copyOfRange(arg, 1, arg.length);
    StreamId id =
        Errors.found(tryStrict(rest) == null ? null : parse(Bytes.text(rest), -1), INVALID_ID);
    Errors.refuseIf(id.isZero(), "ERR invalid end ID for the interval");
    return id.previous();
  }

  private static boolean isExclusive(byte[] arg) {
    return arg.length > 1 && arg[0] == '(';
  }

  private static StreamId interval(byte[] arg, long missingSequence) {
    return Errors.found(parse(Bytes.text(arg), missingSequence), INVALID_ID);
  }

  static CommandException noGroup(Call call, int keyAt, int groupAt) {
    return Errors.of(
        "NOGROUP No such key '%s' or consumer group '%s'"
            .formatted(call.textOfC(keyAt), call.textOfC(groupAt)));
  }

  /**
   * @throws CommandException NOGROUP if the stream or the group is missing
   */
  static StreamGroup group(Call call, int keyAt, int groupAt) {
    StreamValue stream = call.stream(call.arg(keyAt));
    StreamGroup group = stream == null ? null : stream.group(call.arg(groupAt));
    if (group == null) {
      throw noGroup(call, keyAt, groupAt);
    }
    return group;
  }

  /** Returns the consumer with a name; creates it if necessary. */
  static StreamGroup.Consumer consumer(Call call, StreamGroup group, byte[] key, byte[] name) {
    if (!group.consumers.containsKey(name)) {
      group.consumer(name, call.now());
      call.node.dirtied();
      call.notifyOf("xgroup-createconsumer", key);
    }
    StreamGroup.Consumer consumer = group.consumer(name, call.now());
    consumer.seenAt = call.now();
    return consumer;
  }

  static void writeEntry(Reply out, StreamId id, byte[][] fields) {
    out.list(id.toString(), List.of(fields));
  }

  static void writeEntries(Reply out, StreamValue stream, List<StreamId> ids) {
    out.array(ids.size());
    for (StreamId id : ids) {
      byte[][] fields = stream.get(id);
      writeEntry(out, id, fields == null ? new byte[0][] : fields);
    }
  }

  /** Returns the stream's group that a subcommand of XGROUP or XINFO names. */
  static StreamGroup named(Call call, StreamValue stream) {
    StreamGroup group = stream.group(call.arg(3));
    if (group == null) {
      throw Errors.of(
          "NOGROUP No such consumer group '%s' for key name '%s'"
              .formatted(call.textOfC(3), call.textOfC(2)));
    }
    return group;
  }
}
