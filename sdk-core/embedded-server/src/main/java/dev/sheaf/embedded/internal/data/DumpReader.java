// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the parts of a dump: numbers, strings, and lists in their plain and compact forms. Bounded
 * by the bytes that are there, whatever lengths they claim.
 */
final class DumpReader {
  private static final int PLAIN_NODE = 1;
  private static final int ENCODED = 0xC0;
  private static final int COMPRESSED = 0xC3;
  private static final int MAX_STRING = 512 * 1024 * 1024;

  private final byte[] bytes;
  private int at;

  DumpReader(byte[] bytes) {
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
    DumpReader from = new DumpReader(in);
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

  /** A list in nodes, each an element or a listpack. */
  List<byte[]> quicklist() throws BadData {
    List<byte[]> elements = new ArrayList<>();
    for (long nodes = length(); nodes > 0; nodes--) {
      long container = length();
      byte[] node = string();
      if (container == PLAIN_NODE) {
        elements.add(node);
      } else {
        elements.addAll(listpack(node));
      }
    }
    return elements;
  }

  /** Integers of one width, in order. */
  static List<byte[]> intset(byte[] bytes) throws BadData {
    DumpReader in = new DumpReader(bytes);
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

  /** Elements one behind the other, each with its size. */
  static List<byte[]> listpack(byte[] bytes) throws BadData {
    DumpReader in = new DumpReader(bytes);
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

  private static byte[] element(DumpReader in, int head) throws BadData {
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
  static final class BadData extends Exception {
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
}
