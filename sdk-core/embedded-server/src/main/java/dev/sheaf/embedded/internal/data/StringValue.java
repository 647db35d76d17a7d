// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;

/**
 * A string. Its bytes can be shared with pending replies and with replicas. They are changed in
 * place only if this value created the array and has not shared it since.
 */
public final class StringValue extends Value {
  private static final int EMBEDDED_MAX = 44;

  /** The longest strings that are overwritten in place; longer ones are kept as received. */
  private static final int COPIED_MAX = 1024;

  // This value created the array and has not shared it since.
  private static final int OWN = 1;
  private static final int EDITED = 2;
  private static final int NEVER_INTEGER = 4;
  private static final int COPIED = 8;
  // The array has the compressed form.
  private static final int COLD = 16;
  // Compression saves too little.
  private static final int ALWAYS_WARM = 32;

  private byte[] bytes;
  // All flags in one byte, for the size of a million strings.
  private byte flags;

  public StringValue(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A string that Redis does not encode as an integer, such as results of INCRBYFLOAT. */
  public static StringValue text(byte[] bytes) {
    StringValue value = new StringValue(bytes);
    value.set(NEVER_INTEGER);
    return value;
  }

  /** A string with the raw encoding at any length, such as results of BITOP. */
  public static StringValue raw(byte[] bytes) {
    StringValue value = new StringValue(bytes);
    value.set(EDITED);
    return value;
  }

  private boolean is(int flag) {
    return (flags & flag) != 0;
  }

  private void set(int flag) {
    flags |= (byte) flag;
  }

  private void unset(int flag) {
    flags &= (byte) ~flag;
  }

  /** Returns the bytes, read-only. */
  public byte[] bytes() {
    expand();
    unset(OWN);
    return bytes;
  }

  /**
   * Compresses it until its next use. Returns false if it is compressed already, or saves little.
   */
  boolean chill() {
    if (is(COLD | ALWAYS_WARM)) {
      return false;
    }
    byte[] cold = ColdBytes.compress(bytes);
    if (cold == null) {
      set(ALWAYS_WARM);
      return false;
    }
    bytes = cold;
    set(COLD);
    unset(OWN);
    return true;
  }

  /** Returns whether it is compressed. */
  public boolean isCold() {
    return is(COLD);
  }

  void expand() {
    if (is(COLD)) {
      bytes = ColdBytes.expand(bytes);
      unset(COLD);
      unset(OWN);
    }
  }

  /** Returns the length of its array. */
  int storedBytes() {
    return bytes.length;
  }

  public int length() {
    return is(COLD) ? ColdBytes.length(bytes) : bytes.length;
  }

  public int byteAt(int i) {
    expand();
    return bytes[i] & 0xff;
  }

  /** Returns bytes to change in place, at least this many; new ones are zero. */
  public byte[] edit(int length) {
    expand();
    if (!is(OWN) || bytes.length < length) {
      bytes = Arrays.copyOf(bytes, Math.max(length, bytes.length));
      set(OWN);
    }
    set(EDITED);
    unset(ALWAYS_WARM);
    return bytes;
  }

  /**
   * Replaces the content. Short bytes are copied to the previous array, if this value can change
   * it: for the garbage collector, a reference from an old object to a new one costs more than the
   * copy.
   */
  public void become(byte[] newBytes) {
    boolean own = is(OWN);
    boolean sameLength = !is(COLD) && newBytes.length == bytes.length;
    flags = 0;
    if (!sameLength || newBytes.length > COPIED_MAX) {
      bytes = newBytes;
      return;
    }
    if (own) {
      System.arraycopy(newBytes, 0, bytes, 0, newBytes.length);
    } else {
      bytes = newBytes.clone();
    }
    set(OWN);
  }

  /** Whether COPY created it: Redis does not share small integers between copies. */
  public boolean isCopy() {
    return is(COPIED);
  }

  @Override
  public String type() {
    return "string";
  }

  @Override
  public String encoding(Encodings encodings) {
    // A compressed value is far too long for the other encodings.
    if (is(EDITED | COLD)) {
      return "raw";
    }
    return isInteger() ? "int" : bytes.length <= EMBEDDED_MAX ? "embstr" : "raw";
  }

  /** Returns whether Redis encodes it as an integer. */
  public boolean isInteger() {
    return !is(EDITED | COLD | NEVER_INTEGER) && Numbers.parseLong(bytes) != null;
  }

  @Override
  public StringValue copy() {
    unset(OWN);
    StringValue copy = new StringValue(bytes);
    copy.flags = flags;
    copy.set(COPIED);
    return copy;
  }

  @Override
  public long memory() {
    return 16L + bytes.length;
  }
}
