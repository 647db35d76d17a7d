// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A stream. Its entries are grouped in nodes as in Redis, because trimming with {@code ~} removes
 * whole nodes only.
 */
public final class StreamValue extends Value {
  // The default of stream-node-max-bytes in Redis.
  private static final int NODE_BYTES = 4096;

  /** A node of the radix tree, the unit of approximate trimming. */
  private static final class Node {
    final StreamId first;
    final byte[][] fieldNames;
    StreamId last;
    int appended;
    int live;
    int bytes;

    Node(StreamId first, byte[][] fieldNames) {
      this.first = first;
      this.fieldNames = fieldNames;
      this.last = first;
      // The sizes of the master entry: counts of live and deleted entries, of field names, the
      // names, and a zero.
      bytes = ListpackSize.EMPTY + 2 * ListpackSize.of(0) + ListpackSize.of(fieldNames.length);
      for (byte[] name : fieldNames) {
        bytes += ListpackSize.of(name);
      }
      bytes += ListpackSize.of(0);
    }

    Node copy() {
      Node copy = new Node(first, fieldNames);
      copy.last = last;
      copy.appended = appended;
      copy.live = live;
      copy.bytes = bytes;
      return copy;
    }

    boolean hasRoomFor(int fieldBytes, long maxEntries) {
      return (maxEntries == 0 || appended < maxEntries) && bytes + fieldBytes < NODE_BYTES;
    }

    void append(StreamId id, byte[][] fields) {
      boolean sameNames = hasNamesOf(fields);
      int elements = sameNames ? fields.length / 2 + 3 : fields.length + 4;
      bytes += ListpackSize.of(0) + ListpackSize.of(id.millis() - first.millis());
      bytes += ListpackSize.of(id.sequence() - first.sequence()) + ListpackSize.of(elements);
      bytes += sameNames ? 0 : ListpackSize.of(fields.length / 2);
      for (int i = 0; i < fields.length; i++) {
        bytes += sameNames && i % 2 == 0 ? 0 : ListpackSize.of(fields[i]);
      }
      appended++;
      live++;
      last = id;
    }

    private boolean hasNamesOf(byte[][] fields) {
      boolean same = fields.length == 2 * fieldNames.length;
      for (int i = 0; same && i < fieldNames.length; i++) {
        same = Arrays.equals(fieldNames[i], fields[2 * i]);
      }
      return same;
    }
  }

  private record Entry(byte[][] fields, Node node) {}

  private final TreeMap<StreamId, Entry> entries = new TreeMap<>();
  public final TreeMap<byte[], StreamGroup> groups = new TreeMap<>(Arrays::compareUnsigned);
  private final TreeMap<StreamId, Node> nodes = new TreeMap<>();
  private StreamId lastId = StreamId.MIN;
  private StreamId maxDeletedId = StreamId.MIN;
  private long entriesAdded;

  public int size() {
    return entries.size();
  }

  public int nodes() {
    return nodes.size();
  }

  public StreamId lastId() {
    return lastId;
  }

  public StreamId maxDeletedId() {
    return maxDeletedId;
  }

  public long entriesAdded() {
    return entriesAdded;
  }

  /** XSETID. */
  public void position(StreamId last, StreamId maxDeleted, long added) {
    lastId = last;
    maxDeletedId = maxDeleted;
    entriesAdded = added;
  }

  /** Returns the id of the oldest entry; zero in an empty stream. */
  public StreamId firstId() {
    return entries.isEmpty() ? StreamId.MIN : entries.firstKey();
  }

  /** Returns the id of the newest existing entry; zero in an empty stream. */
  public StreamId newestId() {
    return entries.isEmpty() ? StreamId.MIN : entries.lastKey();
  }

  public @Nullable StreamGroup group(byte[] name) {
    return groups.get(name);
  }

  /** Returns the fields and values of an entry, alternating. */
  public byte @Nullable [][] get(StreamId id) {
    Entry entry = entries.get(id);
    return entry == null ? null : entry.fields();
  }

  /**
   * Returns the ids from {@code from} to {@code to}, inclusive, in order or reversed; a live view.
   */
  public NavigableSet<StreamId> ids(StreamId from, StreamId to, boolean reverse) {
    if (from.compareTo(to) > 0) {
      return Collections.emptyNavigableSet();
    }
    NavigableMap<StreamId, Entry> range = entries.subMap(from, true, to, true);
    return reverse ? range.descendingKeySet() : range.navigableKeySet();
  }

  /**
   * Appends an entry; {@code id} must be greater than {@link #lastId()}. A node has at most {@code
   * maxNodeEntries}; zero means no limit.
   */
  public void append(StreamId id, byte[][] fields, long maxNodeEntries) {
    int bytes = 0;
    for (byte[] field : fields) {
      bytes += field.length;
    }
    Node node = nodes.isEmpty() ? null : nodes.lastEntry().getValue();
    if (node == null || !node.hasRoomFor(bytes, maxNodeEntries)) {
      byte[][] names = new byte[fields.length / 2][];
      for (int i = 0; i < names.length; i++) {
        names[i] = fields[2 * i];
      }
      node = new Node(id, names);
      nodes.put(id, node);
    }
    node.append(id, fields);
    entries.put(id, new Entry(fields, node));
    lastId = id;
    entriesAdded++;
  }

  /** Removes an entry and leaves a tombstone, as XDEL. */
  public boolean remove(StreamId id) {
    Entry gone = entries.remove(id);
    if (gone == null) {
      return false;
    }
    Node node = gone.node();
    if (--node.live == 0) {
      nodes.remove(node.first);
    }
    if (id.compareTo(maxDeletedId) > 0) {
      maxDeletedId = id;
    }
    return true;
  }

  /** The strategies of XTRIM: by length, or by minimum id. */
  public record Trim(@Nullable StreamId minId, long maxLength, boolean wholeNodes, long limit) {}

  /**
   * Removes the oldest entries. Returns their number. A node whose last entries were deleted before
   * may remain empty, as in Redis.
   */
  public int trim(Trim trim) {
    StreamId minId = trim.minId();
    int before = entries.size();
    while (!nodes.isEmpty() && (minId != null || entries.size() > trim.maxLength())) {
      Node node = nodes.firstEntry().getValue();
      if (trim.limit() > 0 && before - entries.size() + node.live > trim.limit()) {
        break;
      }
      boolean goes =
          minId == null
              ? entries.size() - node.live >= trim.maxLength()
              : node.last.compareTo(minId) < 0;
      if (!goes) {
        if (!trim.wholeNodes()) {
          trimInside(node, trim);
        }
        break;
      }
      nodes.pollFirstEntry();
      for (int i = node.live; i > 0; i--) {
        entries.pollFirstEntry();
      }
    }
    return before - entries.size();
  }

  private void trimInside(Node node, Trim trim) {
    StreamId minId = trim.minId();
    while (node.live > 0
        && (minId == null
            ? entries.size() > trim.maxLength()
            : entries.firstKey().compareTo(minId) < 0)) {
      entries.pollFirstEntry();
      node.live--;
    }
  }

  /** Returns whether an entry after {@code from}, inclusive, may have been deleted. */
  public boolean hasTombstonesFrom(StreamId from) {
    return !entries.isEmpty()
        && !maxDeletedId.isZero()
        && firstId().compareTo(maxDeletedId) <= 0
        && from.compareTo(maxDeletedId) <= 0;
  }

  private boolean isBeforeTombstone(StreamId id) {
    return !entries.isEmpty() && !id.isZero() && id.compareTo(maxDeletedId) < 0;
  }

  /**
   * Returns the number of entries ever added up to an id; {@link StreamGroup#UNKNOWN} if unknown.
   */
  public long entriesUpTo(StreamId id) {
    if (entriesAdded == 0) {
      return 0;
    }
    int toLast = id.compareTo(lastId);
    if (entries.isEmpty() && toLast <= 0) {
      return entriesAdded;
    }
    if (toLast >= 0) {
      return toLast == 0 ? entriesAdded : StreamGroup.UNKNOWN;
    }
    int toFirst = id.compareTo(firstId());
    if (toFirst <= 0 && (maxDeletedId.isZero() || maxDeletedId.compareTo(firstId()) < 0)) {
      return entriesAdded - entries.size() + (toFirst == 0 ? 1 : 0);
    }
    return StreamGroup.UNKNOWN;
  }

  /** How a server computes the lag of a group if entries were deleted. */
  public enum LagRule {
    REDIS_7_0,
    REDIS_7_4,
    VALKEY
  }

  /**
   * Returns how many entries the group has not received yet; null if unknown. Negative if a group
   * was set to have read more than exist.
   */
  public @Nullable Long lag(StreamGroup group, LagRule rule) {
    if (entriesAdded == 0) {
      return 0L;
    }
    if (rule == LagRule.REDIS_7_4) {
      if (entries.isEmpty()) {
        return 0L;
      }
      if (group.lastId().compareTo(firstId()) < 0 && maxDeletedId.compareTo(firstId()) < 0) {
        return (long) entries.size();
      }
    }
    long read =
        group.entriesRead() != StreamGroup.UNKNOWN && !hasTombstonesFrom(group.lastId())
            ? group.entriesRead()
            : rule != LagRule.REDIS_7_0 && isBeforeTombstone(group.lastId())
                ? StreamGroup.UNKNOWN
                : entriesUpTo(group.lastId());
    return read == StreamGroup.UNKNOWN ? null : (Long) (entriesAdded - read);
  }

  @Override
  public String type() {
    return "stream";
  }

  @Override
  public String encoding(Encodings encodings) {
    return "stream";
  }

  @Override
  public StreamValue copy() {
    StreamValue copy = new StreamValue();
    nodes.forEach((first, node) -> copy.nodes.put(first, node.copy()));
    entries.forEach(
        (id, entry) -> {
          Node node = copy.nodes.get(entry.node().first);
          if (node != null) {
            copy.entries.put(id, new Entry(entry.fields(), node));
          }
        });
    copy.position(lastId, maxDeletedId, entriesAdded);
    groups.forEach((name, group) -> copy.groups.put(name, group.copy()));
    return copy;
  }

  @Override
  public long memory() {
    long bytes = 96;
    for (Entry entry : entries.values()) {
      bytes += 32;
      for (byte[] field : entry.fields()) {
        bytes += 8L + field.length;
      }
    }
    return bytes;
  }
}
