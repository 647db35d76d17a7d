package dev.sheaf.embedded.data;

import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A stream. Its entries are counted in nodes as Redis keeps them, because trimming with {@code ~}
 * removes whole nodes only.
 */
public final class StreamValue extends Value {
  // stream-node-max-entries and stream-node-max-bytes, as Redis has them by default.
  private static final int NODE_ENTRIES = 100;
  private static final int NODE_BYTES = 4096;
  private static final int ELEMENT_OVERHEAD = 2;
  private static final int ENTRY_OVERHEAD = 12;

  private static final class Node {
    int appended;
    int live;
    int bytes;
  }

  private record Entry(byte[][] fields, Node node) {}

  private final TreeMap<StreamId, Entry> entries = new TreeMap<>();
  private final TreeMap<byte[], StreamGroup> groups = new TreeMap<>(Arrays::compareUnsigned);
  private @Nullable Node lastNode;
  private int nodes;
  private StreamId lastId = StreamId.MIN;
  private StreamId maxDeletedId = StreamId.MIN;
  private long entriesAdded;

  public int size() {
    return entries.size();
  }

  public int nodes() {
    return nodes;
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

  /** The id of the oldest entry; zero in an empty stream. */
  public StreamId firstId() {
    return entries.isEmpty() ? StreamId.MIN : entries.firstKey();
  }

  /** The id of the newest entry that is there; zero in an empty stream. */
  public StreamId newestId() {
    return entries.isEmpty() ? StreamId.MIN : entries.lastKey();
  }

  public TreeMap<byte[], StreamGroup> groups() {
    return groups;
  }

  public @Nullable StreamGroup group(byte[] name) {
    return groups.get(name);
  }

  /** The fields and values of an entry, one after the other. */
  public byte @Nullable [][] get(StreamId id) {
    Entry entry = entries.get(id);
    return entry == null ? null : entry.fields();
  }

  /**
   * The ids from {@code from} to {@code to}, both included, in order or in reverse; a live view.
   */
  public Iterable<StreamId> ids(StreamId from, StreamId to, boolean reverse) {
    if (from.compareTo(to) > 0) {
      return java.util.List.of();
    }
    NavigableMap<StreamId, Entry> range = entries.subMap(from, true, to, true);
    return reverse ? range.descendingKeySet() : range.navigableKeySet();
  }

  /** Appends; {@code id} must be greater than {@link #lastId()}. */
  public void append(StreamId id, byte[][] fields) {
    int bytes = 0;
    for (byte[] field : fields) {
      bytes += field.length;
    }
    Node node = lastNode;
    if (node == null || node.appended >= NODE_ENTRIES || node.bytes + bytes >= NODE_BYTES) {
      node = new Node();
      lastNode = node;
      nodes++;
    }
    node.appended++;
    node.live++;
    node.bytes += bytes + ELEMENT_OVERHEAD * fields.length + ENTRY_OVERHEAD;
    entries.put(id, new Entry(fields, node));
    lastId = id;
    entriesAdded++;
  }

  private void left(Node node) {
    if (--node.live == 0) {
      nodes--;
      if (node == lastNode) {
        lastNode = null;
      }
    }
  }

  /** Removes one entry as XDEL does, leaving a tombstone. */
  public boolean remove(StreamId id) {
    Entry gone = entries.remove(id);
    if (gone == null) {
      return false;
    }
    left(gone.node());
    if (id.compareTo(maxDeletedId) > 0) {
      maxDeletedId = id;
    }
    return true;
  }

  /** What XTRIM removes: entries beyond a length, or older than an id. */
  public record Trim(@Nullable StreamId minId, long maxLength, boolean wholeNodes, long limit) {
    boolean goes(StreamId id, long sizeAfter) {
      return minId == null ? sizeAfter >= maxLength : id.compareTo(minId) < 0;
    }
  }

  /** Removes the oldest entries; returns how many. */
  public int trim(Trim trim) {
    int removed = 0;
    while (!entries.isEmpty()) {
      Node node = entries.firstEntry().getValue().node();
      int live = trim.wholeNodes() ? node.live : 1;
      if (trim.wholeNodes() && trim.limit() > 0 && removed + live > trim.limit()
          || !trim.goes(lastOf(live), (long) entries.size() - live)) {
        break;
      }
      for (int i = 0; i < live; i++) {
        Entry gone = entries.pollFirstEntry().getValue();
        left(gone.node());
      }
      removed += live;
    }
    return removed;
  }

  private StreamId lastOf(int first) {
    StreamId id = entries.firstKey();
    for (int i = 1; i < first; i++) {
      id = entries.higherKey(id);
    }
    return id;
  }

  /** Whether an entry after {@code from} (included) may have been deleted. */
  public boolean hasTombstonesFrom(StreamId from) {
    return !entries.isEmpty()
        && !maxDeletedId.isZero()
        && firstId().compareTo(maxDeletedId) <= 0
        && from.compareTo(maxDeletedId) <= 0;
  }

  /** How many entries there ever were up to the id; {@link StreamGroup#UNKNOWN} if unclear. */
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

  /**
   * How many entries the group has not been given yet; null if unclear. Negative where a group was
   * told that it has read more than there is.
   */
  public @Nullable Long lag(StreamGroup group) {
    if (entriesAdded == 0) {
      return 0L;
    }
    long read =
        group.entriesRead() != StreamGroup.UNKNOWN && !hasTombstonesFrom(group.lastId())
            ? group.entriesRead()
            : entriesUpTo(group.lastId());
    return read == StreamGroup.UNKNOWN ? null : (Long) (entriesAdded - read);
  }

  @Override
  public String type() {
    return "stream";
  }

  @Override
  public String encoding() {
    return "stream";
  }

  @Override
  public StreamValue copy() {
    StreamValue copy = new StreamValue();
    entries.forEach((id, entry) -> copy.append(id, entry.fields()));
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
