// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import dev.sheaf.embedded.internal.data.DumpReader.BadData;
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
      DumpReader in = new DumpReader(Arrays.copyOf(payload, payload.length - FOOTER));
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
      DumpReader in = new DumpReader(Arrays.copyOf(payload, payload.length - FOOTER));
      Value value = value(in);
      return in.hasMore() ? null : value;
    } catch (BadData e) {
      return null;
    }
  }

  private static @Nullable Value value(DumpReader in) throws BadData {
    int type = in.unsignedByte();
    return switch (type) {
      case STRING -> new StringValue(in.string());
      case LIST -> listOf(in.strings(in.length()));
      case QUICKLIST -> listOf(in.quicklist());
      case SET -> setOf(in.strings(in.length()));
      case INTSET -> setOf(DumpReader.intset(in.string()));
      case HASH -> hashOf(in.strings(2 * in.length()));
      case SET_LISTPACK -> setOf(DumpReader.listpack(in.string()));
      case HASH_DEADLINES -> hashWithDeadlines(in);
      case HASH_LISTPACK_DEADLINES -> {
        in.littleEndian(8);
        yield hashWithDeadlines(DumpReader.listpack(in.string()));
      }
      case HASH_LISTPACK -> hashOf(DumpReader.listpack(in.string()));
      case ZSET -> sortedSet(in);
      case ZSET_LISTPACK -> sortedSetOf(DumpReader.listpack(in.string()));
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

  private static Value hashWithDeadlines(DumpReader in) throws BadData {
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

  private static Value sortedSet(DumpReader in) throws BadData {
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
}
