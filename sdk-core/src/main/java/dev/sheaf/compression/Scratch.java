package dev.sheaf.compression;

/** A buffer of a thread to compress into. */
final class Scratch {

  /** A thread that once sent something large need not keep that much for ever. */
  private static final int MAX_KEPT_BYTES = 256 << 10;

  private static final int INITIAL_BYTES = 4 << 10;
  private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 64;

  private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

  private byte[] buffer = new byte[INITIAL_BYTES];

  static Scratch ofThread() {
    return OF_THREAD.get();
  }

  /**
   * The buffer, whose content is undefined.
   *
   * @throws IllegalArgumentException if there is no array of that size
   */
  byte[] ofAtLeast(long bytes) {
    if (buffer.length < bytes) {
      if (bytes > MAX_ARRAY_BYTES) {
        throw new IllegalArgumentException(
            "A value that may take " + bytes + " bytes cannot be compressed");
      }
      buffer = new byte[(int) Math.max(bytes, Math.min(2L * buffer.length, MAX_KEPT_BYTES))];
    }
    return buffer;
  }

  byte[] buffer() {
    return buffer;
  }

  void release() {
    if (buffer.length > MAX_KEPT_BYTES) {
      buffer = new byte[INITIAL_BYTES];
    }
  }
}
