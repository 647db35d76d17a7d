// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The form in which DUMP gives a value away and RESTORE takes it: the one Redis saves values in,
 * with its version and a checksum. Written are the plain encodings, which a real server reads; read
 * are also the compact ones that a real 7.0 or newer writes. Streams have no such form here.
 */
public final class Dump {
  /** The version of Redis 7.0. */
  public static final int VERSION_10 = 10;

  private static final int FOOTER = 10;
  private static final int FUNCTION = 245;

  private static final int STRING = 0;
  private static final int LIST = 1;
  private static final int SET = 2;
  private static final int HASH = 4;
  private static final int ZSET = 5;
  private static final int INTSET = 11;
  private static final int HASH_LISTPACK = 16;
  private static final int ZSET_LISTPACK = 17;
  private static final int QUICKLIST = 18;
  private static final int SET_LISTPACK = 20;
  private static final int HASH_DEADLINES = 24;
  private static final int HASH_LISTPACK_DEADLINES = 25;
  private static final int PLAIN_NODE = 1;

  private static final long POLYNOMIAL = 0x95ac9329ac4bc9b5L;
  private static final long[] CRC64 = new long[256];

  static {
    for (int i = 0; i < CRC64.length; i++) {
      long crc = i;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) != 0 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
      }
      CRC64[i] = crc;
    }
  }

  private Dump() {}

  private static long crc64(byte[] bytes, int length) {
    long crc = 0;
    for (int i = 0; i < length; i++) {
      crc = CRC64[(int) (crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
    }
    return crc;
  }

  private static void littleEndian(ByteArrayOutputStream out, long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      out.write((int) (value >>> (8 * i)));
    }
  }

  private static void length(ByteArrayOutputStream out, long length) {
    if (length < 1 << 6) {
      out.write((int) length);
    } else if (length < 1 << 14) {
      out.write(0x40 | (int) (length >> 8));
      out.write((int) length);
    } else {
      boolean isLong = length >>> 32 != 0;
      out.write(isLong ? 0x81 : 0x80);
      for (int shift = isLong ? 56 : 24; shift >= 0; shift -= 8) {
        out.write((int) (length >>> shift));
      }
    }
  }

  private static void string(ByteArrayOutputStream out, byte[] bytes) {
    Long number = bytes.length <= 11 ? Numbers.parseLong(bytes) : null;
    if (number != null && number == number.intValue()) {
      int size = number == number.byteValue() ? 1 : number == number.shortValue() ? 2 : 4;
      out.write(0xC0 | (size == 4 ? 2 : size - 1));
      littleEndian(out, number, size);
      return;
    }
    length(out, bytes.length);
    out.writeBytes(bytes);
  }

  private static byte[] sealed(ByteArrayOutputStream out, int version) {
    littleEndian(out, version, 2);
    byte[] body = out.toByteArray();
    littleEndian(out, crc64(body, body.length), 8);
    return out.toByteArray();
  }

  /** The value without its time to live; null for a stream. */
  public static byte @Nullable [] of(Value value, int version) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (value instanceof StringValue s) {
      out.write(STRING);
      string(out, s.bytes());
    } else if (value instanceof ListValue list) {
      out.write(LIST);
      length(out, list.size());
      for (int i = 0; i < list.size(); i++) {
        string(out, list.get(i));
      }
    } else if (value instanceof SetValue set) {
      out.write(SET);
      length(out, set.size());
      set.list().forEach(member -> string(out, member));
    } else if (value instanceof HashValue hash && hash.isPartlyMortal()) {
      long first = hash.firstDeadline();
      out.write(HASH_DEADLINES);
      littleEndian(out, first, 8);
      length(out, hash.size());
      for (var e = hash.fields.first(); e != null; e = e.after()) {
        long deadline = hash.deadline(e.key);
        length(out, deadline == Value.NO_EXPIRY ? 0 : deadline - first + 1);
        string(out, e.key);
        string(out, e.value());
      }
    } else if (value instanceof HashValue hash) {
      out.write(HASH);
      length(out, hash.size());
      for (var e = hash.fields.first(); e != null; e = e.after()) {
        string(out, e.key);
        string(out, e.value());
      }
    } else if (value instanceof SortedSetValue set) {
      out.write(ZSET);
      length(out, set.size());
      for (ScoredMembers.Node n = set.order.first(); n != null; n = n.next()) {
        string(out, n.member);
        littleEndian(out, Double.doubleToRawLongBits(n.score()), 8);
      }
    } else {
      return null;
    }
    return sealed(out, version);
  }

  /** The sources of function libraries. */
  public static byte[] ofLibraries(List<byte[]> sources, int version) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] source : sources) {
      out.write(FUNCTION);
      length(out, source.length);
      out.writeBytes(source);
    }
    return sealed(out, version);
  }

  /** Whether it is of this version or an older one, and the checksum is right. */
  public static boolean isWhole(byte[] payload, int newest) {
    int body = payload.length - FOOTER;
    if (body < 0) {
      return false;
    }
    int version = (payload[body] & 0xff) | (payload[body + 1] & 0xff) << 8;
    long crc = 0;
    for (int i = 7; i >= 0; i--) {
      crc = crc << 8 | (payload[body + 2 + i] & 0xff);
    }
    return version <= newest && crc == crc64(payload, body + 2);
  }

  /** What {@link #ofLibraries} took; null if the payload is something else. */
  public static @Nullable List<byte[]> libraries(byte[] payload, int newest) {
    if (!isWhole(payload, newest)) {
      return null;
    }
    try {
      Reader in = new Reader(Arrays.copyOf(payload, payload.length - FOOTER));
      List<byte[]> sources = new ArrayList<>();
      while (in.hasMore()) {
        if (in.unsignedByte() != FUNCTION) {
          return null;
        }
        sources.add(in.string());
      }
      return sources;
    } catch (BadData e) {
      return null;
    }
  }

  /** The value in a payload that {@link #isWhole}; null if it cannot be read or is empty. */
  public static @Nullable Value value(byte[] payload) {
    try {
      Reader in = new Reader(Arrays.copyOf(payload, payload.length - FOOTER));
      Value value = value(in);
      return in.hasMore() ? null : value;
    } catch (BadData e) {
      return null;
    }
  }

  private static @Nullable Value value(Reader in) throws BadData {
    int type = in.unsignedByte();
    return switch (type) {
      case STRING -> new StringValue(in.string());
      case LIST -> listOf(in.strings(in.length()));
      case QUICKLIST -> listOf(quicklist(in));
      case SET -> setOf(in.strings(in.length()));
      case INTSET -> setOf(intset(in.string()));
      case HASH -> hashOf(in.strings(2 * in.length()));
      case SET_LISTPACK -> setOf(listpack(in.string()));
      case HASH_DEADLINES -> hashWithDeadlines(in);
      case HASH_LISTPACK_DEADLINES -> {
        in.littleEndian(8);
        yield hashWithDeadlines(listpack(in.string()));
      }
      case HASH_LISTPACK -> hashOf(listpack(in.string()));
      case ZSET -> sortedSet(in);
      case ZSET_LISTPACK -> sortedSetOf(listpack(in.string()));
      default -> throw new BadData();
    };
  }

  private static Value listOf(List<byte[]> elements) throws BadData {
    BadData.when(elements.isEmpty());
    ListValue list = new ListValue();
    elements.forEach(list::addLast);
    return list;
  }

  private static Value setOf(List<byte[]> members) throws BadData {
    BadData.when(members.isEmpty());
    SetValue set = new SetValue();
    for (byte[] member : members) {
      BadData.when(!set.add(member));
    }
    return set;
  }

  private static Value hashOf(List<byte[]> pairs) throws BadData {
    BadData.when(pairs.isEmpty());
    HashValue hash = new HashValue();
    for (int i = 0; i < pairs.size(); i += 2) {
      BadData.when(i + 1 == pairs.size() || hash.put(pairs.get(i), pairs.get(i + 1)) != null);
    }
    return hash;
  }

  private static Value hashWithDeadlines(Reader in) throws BadData {
    long first = in.littleEndian(8);
    List<byte[]> triples = new ArrayList<>();
    for (long n = in.length(); n > 0; n--) {
      long deadline = in.length();
      triples.add(in.string());
      triples.add(in.string());
      triples.add(Bytes.ofLong(deadline == 0 ? 0 : first + deadline - 1));
    }
    return hashWithDeadlines(triples);
  }

  /** Of names, values and ends of life, which are zero for a field that has none. */
  private static Value hashWithDeadlines(List<byte[]> triples) throws BadData {
    BadData.when(triples.isEmpty());
    HashValue hash = new HashValue();
    for (int i = 0; i + 2 < triples.size(); i += 3) {
      Long deadline = Numbers.parseLong(triples.get(i + 2));
      if (deadline == null || hash.put(triples.get(i), triples.get(i + 1)) != null) {
        throw new BadData();
      }
      if (deadline > 0) {
        hash.deadline(triples.get(i), deadline);
      }
    }
    return hash;
  }

  private static Value sortedSet(Reader in) throws BadData {
    SortedSetValue set = new SortedSetValue();
    for (long n = in.length(); n > 0; n--) {
      byte[] member = in.string();
      put(set, member, Double.longBitsToDouble(in.littleEndian(8)));
    }
    BadData.when(set.size() == 0);
    return set;
  }

  private static void put(SortedSetValue set, byte[] member, double score) throws BadData {
    BadData.when(Double.isNaN(score) || set.find(member) != null);
    set.put(member, score);
  }

  private static Value sortedSetOf(List<byte[]> pairs) throws BadData {
    BadData.when(pairs.isEmpty());
    SortedSetValue set = new SortedSetValue();
    for (int i = 0; i + 1 < pairs.size(); i += 2) {
      Double score = Numbers.parseDouble(pairs.get(i + 1));
      if (score == null) {
        throw new BadData();
      }
      put(set, pairs.get(i), score);
    }
    return set;
  }

  private static List<byte[]> quicklist(Reader in) throws BadData {
    List<byte[]> elements = new ArrayList<>();
    for (long nodes = in.length(); nodes > 0; nodes--) {
      long container = in.length();
      byte[] node = in.string();
      if (container == PLAIN_NODE) {
        elements.add(node);
      } else {
        elements.addAll(listpack(node));
      }
    }
    return elements;
  }

  private static List<byte[]> intset(byte[] bytes) throws BadData {
    Reader in = new Reader(bytes);
    int width = (int) in.littleEndian(4);
    long count = in.littleEndian(4);
    BadData.when((width != 2 && width != 4 && width != 8) || count * width != bytes.length - 8);
    List<byte[]> numbers = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      int shift = 64 - 8 * width;
      numbers.add(Bytes.ofLong(in.littleEndian(width) << shift >> shift));
    }
    return numbers;
  }

  private static List<byte[]> listpack(byte[] bytes) throws BadData {
    Reader in = new Reader(bytes);
    long total = in.littleEndian(4);
    in.littleEndian(2);
    BadData.when(total != bytes.length);
    List<byte[]> elements = new ArrayList<>();
    for (int head = in.unsignedByte(); head != 0xFF; head = in.unsignedByte()) {
      int from = in.at - 1;
      elements.add(element(in, head));
      int size = in.at - from;
      in.skip(size < 128 ? 1 : size < 16384 ? 2 : size < 2097152 ? 3 : size < 268435456 ? 4 : 5);
    }
    return elements;
  }

  private static byte[] element(Reader in, int head) throws BadData {
    if (head < 0x80) {
      return Bytes.ofLong(head);
    }
    if (head < 0xC0) {
      return in.bytes(head & 0x3F);
    }
    if (head < 0xE0) {
      long value = (head & 0x1FL) << 8 | in.unsignedByte();
      return Bytes.ofLong(value >= 1 << 12 ? value - (1 << 13) : value);
    }
    if (head < 0xF0) {
      return in.bytes((head & 0x0F) << 8 | in.unsignedByte());
    }
    return switch (head) {
      case 0xF0 -> in.bytes(in.littleEndian(4));
      case 0xF1 -> Bytes.ofLong((short) in.littleEndian(2));
      case 0xF2 -> Bytes.ofLong(in.littleEndian(3) << 40 >> 40);
      case 0xF3 -> Bytes.ofLong(in.littleEndian(4) << 32 >> 32);
      case 0xF4 -> Bytes.ofLong(in.littleEndian(8));
      default -> throw new BadData();
    };
  }

  /** That bytes are not what they should be. */
  private static final class BadData extends Exception {
    private static final long serialVersionUID = 1;

    BadData() {
      super("bad data", null, false, false);
    }

    static void when(boolean bad) throws BadData {
      if (bad) {
        throw new BadData();
      }
    }
  }

  /** Reads bounded by the bytes that are there, whatever lengths they claim. */
  private static final class Reader {
    private static final int ENCODED = 0xC0;
    private static final int COMPRESSED = 0xC3;
    private static final int MAX_STRING = 512 * 1024 * 1024;

    private final byte[] bytes;
    private int at;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean hasMore() {
      return at < bytes.length;
    }

    int unsignedByte() throws BadData {
      BadData.when(at >= bytes.length);
      return bytes[at++] & 0xff;
    }

    void skip(int count) throws BadData {
      BadData.when(count > bytes.length - at);
      at += count;
    }

    byte[] bytes(long count) throws BadData {
      BadData.when(count < 0 || count > bytes.length - at);
      at += (int) count;
      return Arrays.copyOfRange(bytes, at - (int) count, at);
    }

    long littleEndian(int count) throws BadData {
      long value = 0;
      for (int i = 0; i < count; i++) {
        value |= (long) unsignedByte() << (8 * i);
      }
      return value;
    }

    private long bigEndian(int count) throws BadData {
      long value = 0;
      for (int i = 0; i < count; i++) {
        value = value << 8 | unsignedByte();
      }
      return value;
    }

    long length() throws BadData {
      int head = unsignedByte();
      BadData.when(head >= ENCODED);
      return length(head);
    }

    private long length(int head) throws BadData {
      if (head < 0x40) {
        return head;
      }
      if (head < 0x80) {
        return (head & 0x3FL) << 8 | unsignedByte();
      }
      BadData.when(head != 0x80 && head != 0x81);
      long length = bigEndian(head == 0x80 ? 4 : 8);
      BadData.when(length < 0);
      return length;
    }

    byte[] string() throws BadData {
      int head = unsignedByte();
      if (head == COMPRESSED) {
        long compressed = length();
        long plain = length();
        return decompress(bytes(compressed), plain);
      }
      if (head >= ENCODED) {
        int size = head == ENCODED ? 1 : head == ENCODED + 1 ? 2 : head == ENCODED + 2 ? 4 : 0;
        BadData.when(size == 0);
        int shift = 64 - 8 * size;
        return Bytes.ofLong(littleEndian(size) << shift >> shift);
      }
      return bytes(length(head));
    }

    List<byte[]> strings(long count) throws BadData {
      List<byte[]> strings = new ArrayList<>();
      for (long i = 0; i < count; i++) {
        strings.add(string());
      }
      return strings;
    }

    /** LZF: literals of up to 32 bytes, and copies of what has come before. */
    private static byte[] decompress(byte[] in, long plain) throws BadData {
      // A byte of input gives at most 264 bytes, so a false length costs no memory.
      BadData.when(plain > MAX_STRING || plain > 264L * in.length);
      byte[] out = new byte[(int) plain];
      Reader from = new Reader(in);
      int to = 0;
      while (from.hasMore()) {
        int head = from.unsignedByte();
        if (head < 32) {
          byte[] literal = from.bytes(head + 1L);
          BadData.when(literal.length > out.length - to);
          System.arraycopy(literal, 0, out, to, literal.length);
          to += literal.length;
          continue;
        }
        int length = (head >> 5) + 2;
        if (length == 9) {
          length += from.unsignedByte();
        }
        int back = to - ((head & 0x1f) << 8) - from.unsignedByte() - 1;
        BadData.when(back < 0 || length > out.length - to);
        for (int i = 0; i < length; i++) {
          out[to++] = out[back++];
        }
      }
      BadData.when(to != out.length);
      return out;
    }
  }
}
