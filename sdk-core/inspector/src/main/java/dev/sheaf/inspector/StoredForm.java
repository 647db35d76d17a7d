// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

/** The formats of stored bytes. */
public enum StoredForm {
  /** Neither compressed nor in an envelope. */
  RAW(true),
  /** Sheaf's envelope. */
  SHEAF(true),
  /** The envelope of Valkey GLIDE, with LZ4 or Zstandard. */
  GLIDE(true),
  /** Gzip, as Lettuce's CompressionCodec and many others write it. */
  GZIP(true),
  /** Zlib, as Lettuce's CompressionCodec writes DEFLATE. */
  ZLIB(true),
  /** A Zstandard frame. */
  ZSTD(true),
  /** An LZ4 block after its length in four bytes, as Redisson writes it. */
  REDISSON_LZ4(false),
  /** A plain Snappy block, as Redisson writes it. */
  REDISSON_SNAPPY(false);

  private final boolean certain;

  StoredForm(boolean certain) {
    this.certain = certain;
  }

  /** Returns whether the format identifies itself; otherwise it was concluded from decoding. */
  public boolean isCertain() {
    return certain;
  }
}
