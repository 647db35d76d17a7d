// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.CheckReturnValue;
import dev.sheaf.compression.CompressionOptions;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Migrator} is to do. Immutable; {@link #compress} and {@link #decompress} begin, the
 * {@code with} methods change one thing.
 *
 * @param compression the policies to compress by; for decompressing, what can be read
 * @param decompress whether to undo compression
 * @param prefix how the keys begin that are looked at, in UTF-8; empty for all keys
 * @param dryRun whether to count only, and write nothing
 * @param keysPerSecond how many keys, fields of hashes and elements of lists to look at in a second
 *     at most; 5,000 by default, so that a server has time for others
 * @param keysPerStep how many of these to look at in one step; 100 by default. Their values are in
 *     memory at the same time
 * @param resumeToken where to go on, from {@link MigrationProgress#resumeToken}; null to begin
 * @param progress is told after each step, on the migrating thread; what it throws ends the
 *     migration
 */
@CheckReturnValue
public record MigrationOptions(
    CompressionOptions compression,
    boolean decompress,
    String prefix,
    boolean dryRun,
    int keysPerSecond,
    int keysPerStep,
    @Nullable String resumeToken,
    Consumer<MigrationProgress> progress) {

  private static final int DEFAULT_KEYS_PER_SECOND = 5_000;
  private static final int DEFAULT_KEYS_PER_STEP = 100;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if a limit is not positive; the message names it
   */
  public MigrationOptions {
    Objects.requireNonNull(compression, "compression");
    Objects.requireNonNull(prefix, "prefix");
    Objects.requireNonNull(progress, "progress");
    requirePositive("keysPerSecond", keysPerSecond);
    requirePositive("keysPerStep", keysPerStep);
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, but was " + value);
    }
  }

  /** Compresses what is stored raw, as a client with these options would have. */
  public static MigrationOptions compress(CompressionOptions compression, String prefix) {
    return of(compression, false, prefix);
  }

  /** Stores compressed values raw again. */
  public static MigrationOptions decompress(CompressionOptions compression, String prefix) {
    return of(compression, true, prefix);
  }

  private static MigrationOptions of(
      CompressionOptions compression, boolean decompress, String prefix) {
    return new MigrationOptions(
        compression,
        decompress,
        prefix,
        false,
        DEFAULT_KEYS_PER_SECOND,
        DEFAULT_KEYS_PER_STEP,
        null,
        progress -> {});
  }

  /** These options, counting only. */
  public MigrationOptions withDryRun() {
    return new MigrationOptions(
        compression, decompress, prefix, true, keysPerSecond, keysPerStep, resumeToken, progress);
  }

  /** These options with another pace. */
  public MigrationOptions withPace(int keysPerSecond, int keysPerStep) {
    return new MigrationOptions(
        compression, decompress, prefix, dryRun, keysPerSecond, keysPerStep, resumeToken, progress);
  }

  /** These options, to go on where another migration was. */
  public MigrationOptions withResumeToken(String token) {
    return new MigrationOptions(
        compression, decompress, prefix, dryRun, keysPerSecond, keysPerStep, token, progress);
  }

  /** These options with a listener. */
  public MigrationOptions withProgress(Consumer<MigrationProgress> progress) {
    return new MigrationOptions(
        compression, decompress, prefix, dryRun, keysPerSecond, keysPerStep, resumeToken, progress);
  }
}
