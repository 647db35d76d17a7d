// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

/** What stored bytes were recognised as. */
public enum StoredForm {
  /** What they seem to be, neither compressed nor in an envelope. */
  RAW(true),
  /** Sheaf's envelope. */
  SHEAF(true),
  /** The envelope of Valkey GLIDE, with LZ4 or Zstandard. */
  GLIDE(true),
  /** Gzip, as Lettuce's CompressionCodec and many others write it. */
  GZIP(true),
  /** Zlib, as Lettuce's CompressionCodec writes DEFLATE. */
  ZLIB(true),
  /** A frame of Zstandard. */
  ZSTD(true),
  /** A block of LZ4 behind its length in four bytes, as Redisson writes it. */
  REDISSON_LZ4(false),
  /** A block of Snappy without anything around it, as Redisson writes it. */
  REDISSON_SNAPPY(false);

  private final boolean certain;

  StoredForm(boolean certain) {
    this.certain = certain;
  }

  /** Whether the form marks itself; else it was concluded from the fact that it can be read. */
  public boolean isCertain() {
    return certain;
  }
}
