// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.CheckReturnValue;
import dev.sheaf.compression.CompressionOptions;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link Migrator}. Immutable. {@link #compress} and {@link #decompress} create
 * options; each {@code with} method returns a copy with one change.
 *
 * @param compression the policies for compression; for decompression, what can be read
 * @param decompress whether to decompress
 * @param prefix the prefix of the keys, in UTF-8; empty for all keys
 * @param dryRun whether to write nothing
 * @param keysPerSecond the most keys, fields of hashes and elements of lists to process in a
 *     second; 5,000 by default, so that the server has time for others
 * @param keysPerStep how many of these to process in one step; 100 by default. Their values are in
 *     memory at the same time
 * @param resumeToken where to continue, from {@link MigrationProgress#resumeToken}; null to start
 * @param progress called after each step on the migrating thread; an exception from it stops the
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
   * Validates the options.
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

  /**
   * Returns options that compress uncompressed values, as a client with these options would have.
   */
  public static MigrationOptions compress(CompressionOptions compression, String prefix) {
    return of(compression, false, prefix);
  }

  /** Returns options that store compressed values uncompressed. */
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

  /** Returns a copy that writes nothing. */
  public MigrationOptions withDryRun() {
    return new MigrationOptions(
        compression, decompress, prefix, true, keysPerSecond, keysPerStep, resumeToken, progress);
  }

  /** Returns a copy with another pace. */
  public MigrationOptions withPace(int keysPerSecond, int keysPerStep) {
    return new MigrationOptions(
        compression, decompress, prefix, dryRun, keysPerSecond, keysPerStep, resumeToken, progress);
  }

  /** Returns a copy that continues an earlier migration. */
  public MigrationOptions withResumeToken(String token) {
    return new MigrationOptions(
        compression, decompress, prefix, dryRun, keysPerSecond, keysPerStep, token, progress);
  }

  /** Returns a copy with a progress listener. */
  public MigrationOptions withProgress(Consumer<MigrationProgress> progress) {
    return new MigrationOptions(
        compression, decompress, prefix, dryRun, keysPerSecond, keysPerStep, resumeToken, progress);
  }
}
