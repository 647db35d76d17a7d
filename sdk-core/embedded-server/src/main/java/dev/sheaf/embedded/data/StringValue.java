package dev.sheaf.embedded.data;

import java.util.Arrays;

/**
 * A string. Its bytes may be shared with pending replies and with replicas, so they are never
 * changed in place unless this value made the array itself and has not handed it out since.
 */
public final class StringValue extends Value {
  private static final int EMBEDDED_MAX = 44;

  /** Bytes that are written over in place; longer ones are cheaper to keep as they came. */
  private static final int COPIED_MAX = 1024;

  private byte[] bytes;
  private boolean own;
  private boolean edited;
  private boolean neverInteger;
  private boolean copied;

  public StringValue(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A string that Redis would not look at for an integer, as INCRBYFLOAT's results. */
  public static StringValue text(byte[] bytes) {
    StringValue value = new StringValue(bytes);
    value.neverInteger = true;
    return value;
  }

  /** A string that Redis keeps in the raw encoding whatever its length, as BITOP's results. */
  public static StringValue raw(byte[] bytes) {
    StringValue value = new StringValue(bytes);
    value.edited = true;
    return value;
  }

  /** The bytes, to be read only. */
  public byte[] bytes() {
    own = false;
    return bytes;
  }

  public int length() {
    return bytes.length;
  }

  public int byteAt(int i) {
    return bytes[i] & 0xff;
  }

  /** The bytes for a change in place, at least as many as asked; new ones are zero. */
  public byte[] edit(int length) {
    if (!own || bytes.length < length) {
      bytes = Arrays.copyOf(bytes, Math.max(length, bytes.length));
      own = true;
    }
    edited = true;
    return bytes;
  }

  /**
   * Becomes another string, as if newly made. Short bytes go into the array of the former ones if
   * this value may change it: a reference from an old object to a new one costs the garbage
   * collector more than the copy.
   */
  void become(byte[] newBytes) {
    edited = false;
    neverInteger = false;
    copied = false;
    if (newBytes.length != bytes.length || newBytes.length > COPIED_MAX) {
      bytes = newBytes;
      own = false;
    } else if (own) {
      System.arraycopy(newBytes, 0, bytes, 0, newBytes.length);
    } else {
      bytes = newBytes.clone();
      own = true;
    }
  }

  /** Whether COPY made it: Redis shares no small integers between copies. */
  public boolean isCopy() {
    return copied;
  }

  @Override
  public String type() {
    return "string";
  }

  @Override
  public String encoding() {
    if (edited) {
      return "raw";
    }
    if (!neverInteger && Numbers.parseLong(bytes) != null) {
      return "int";
    }
    return bytes.length <= EMBEDDED_MAX ? "embstr" : "raw";
  }

  @Override
  public StringValue copy() {
    StringValue copy = new StringValue(bytes());
    copy.edited = edited;
    copy.neverInteger = neverInteger;
    copy.copied = true;
    return copy;
  }

  @Override
  public long memory() {
    return 16L + bytes.length;
  }
}
