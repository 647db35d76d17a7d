// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;

/**
 * A string. Its bytes may be shared with pending replies and with replicas, so they are never
 * changed in place unless this value made the array itself and has not handed it out since.
 */
public final class StringValue extends Value {
  private static final int EMBEDDED_MAX = 44;

  /** Bytes that are written over in place; longer ones are cheaper to keep as they came. */
  private static final int COPIED_MAX = 1024;

  // This value made the array and has not handed it out since.
  private static final int OWN = 1;
  private static final int EDITED = 2;
  private static final int NEVER_INTEGER = 4;
  private static final int COPIED = 8;
  // The array holds the compressed form.
  private static final int COLD = 16;
  // Compressing it saves too little.
  private static final int ALWAYS_WARM = 32;

  private byte[] bytes;
  // All in one byte, for the size of a million strings.
  private byte flags;

  public StringValue(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A string that Redis would not look at for an integer, as INCRBYFLOAT's results. */
  public static StringValue text(byte[] bytes) {
    StringValue value = new StringValue(bytes);
    value.set(NEVER_INTEGER);
    return value;
  }

  /** A string that Redis keeps in the raw encoding whatever its length, as BITOP's results. */
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

  /** The bytes, to be read only. */
  public byte[] bytes() {
    expand();
    unset(OWN);
    return bytes;
  }

  /** Compresses it until it is next used; false where that is done already or saves little. */
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

  /** Whether it is compressed. */
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

  /** The length of the array it is held in. */
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

  /** The bytes for a change in place, at least as many as asked; new ones are zero. */
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
   * Becomes another string, as if newly made. Short bytes go into the array of the former ones if
   * this value may change it: a reference from an old object to a new one costs the garbage
   * collector more than the copy.
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

  /** Whether COPY made it: Redis shares no small integers between copies. */
  public boolean isCopy() {
    return is(COPIED);
  }

  @Override
  public String type() {
    return "string";
  }

  @Override
  public String encoding(Encodings encodings) {
    // What is compressed is far too long for the other encodings.
    if (is(EDITED | COLD)) {
      return "raw";
    }
    return isInteger() ? "int" : bytes.length <= EMBEDDED_MAX ? "embstr" : "raw";
  }

  /** Whether Redis keeps it as a number. */
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
