// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import static dev.sheaf.internal.common.OptionChecks.atLeast;
import static dev.sheaf.internal.common.OptionChecks.within;

import dev.sheaf.CheckReturnValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a client compresses small values with trained Zstandard dictionaries. Immutable.
 *
 * <p>For each {@link CompressionPolicy} that compresses, the client collects the first values that
 * are written, trains a dictionary in the background, and uses it if it saves enough. A client
 * without these options reads values that others compressed with dictionaries, and writes none.
 */
public final class DictionaryOptions {

  private static final int MIN_SAMPLES = 100;
  private static final int MAX_SAMPLES = 100_000;
  private static final Duration MIN_LEASE = Duration.ofSeconds(1);
  private static final Duration MAX_LEASE = Duration.ofHours(1);

  private final boolean reading;
  private final boolean training;
  private final boolean awaitReaders;
  private final int samples;
  private final int maxNanosPerSavedByte;
  private final Duration lease;
  private final List<String> except;
  private final UnaryOperator<byte @Nullable []> redact;
  private final List<Path> files;
  private final List<String> resources;

  private DictionaryOptions(Builder builder) {
    this.reading = builder.reading;
    this.training = builder.training;
    this.awaitReaders = builder.awaitReaders;
    this.samples = (int) within(MIN_SAMPLES, MAX_SAMPLES, "samples", builder.samples);
    this.maxNanosPerSavedByte = atLeast(1, "maxNanosPerSavedByte", builder.maxNanosPerSavedByte);
    this.lease = builder.lease;
    this.except = builder.except;
    this.redact = builder.redact;
    this.files = builder.files;
    this.resources = builder.resources;
    if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
      throw new IllegalArgumentException(
          "lease must be from " + MIN_LEASE + " to " + MAX_LEASE + ", but was " + lease);
    }
  }

  /** Returns options that train and use dictionaries, with the default limits. */
  public static DictionaryOptions defaults() {
    return builder().build();
  }

  /**
   * Returns options that only read, as without options, but with a lease, so that writers know of
   * this reader.
   */
  public static DictionaryOptions readOnly() {
    return builder().training(false).build();
  }

  /**
   * Returns options that neither read nor write with dictionaries, as an older version of this
   * client: a value that needs one is unreadable. Writers that wait for readers use no dictionaries
   * while such a client exists.
   */
  public static DictionaryOptions none() {
    Builder builder = builder().training(false);
    builder.reading = false;
    return builder.build();
  }

  /** Creates a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns whether values that need a dictionary are read. */
  public boolean reading() {
    return reading;
  }

  /** Returns whether this client trains dictionaries and writes with those of other clients. */
  public boolean training() {
    return training;
  }

  /** Returns whether dictionaries are used only while all known clients can read them. */
  public boolean awaitReaders() {
    return awaitReaders;
  }

  /** Returns the number of values of a policy that a dictionary is trained on. */
  public int samples() {
    return samples;
  }

  /** Returns the most processor time that a saved byte can cost, written and read once. */
  public int maxNanosPerSavedByte() {
    return maxNanosPerSavedByte;
  }

  /** Returns how long other clients assume that this client exists. */
  public Duration lease() {
    return lease;
  }

  /** Returns the key prefixes whose values never use dictionaries; unmodifiable. */
  public List<String> except() {
    return except;
  }

  /** Returns the filter of samples that become part of a dictionary. */
  public UnaryOperator<byte @Nullable []> redact() {
    return redact;
  }

  /** Returns the files with dictionaries; unmodifiable. */
  public List<Path> files() {
    return files;
  }

  /** Returns the class path resources with dictionaries; unmodifiable. */
  public List<String> resources() {
    return resources;
  }

  /** A builder of options. Not thread-safe. */
  public static final class Builder {

    private boolean reading = true;
    private boolean training = true;
    private boolean awaitReaders = true;
    private int samples = 1_000;
    private int maxNanosPerSavedByte = 100;
    private Duration lease = Duration.ofSeconds(60);
    private List<String> except = List.of();
    private UnaryOperator<byte @Nullable []> redact = sample -> sample;
    private List<Path> files = List.of();
    private List<String> resources = List.of();

    private Builder() {}

    /**
     * Sets whether to train dictionaries and write with those of other clients; true by default. If
     * false, the client writes only with those of {@link #files} and {@link #resources}.
     */
    public Builder training(boolean on) {
      this.training = on;
      return this;
    }

    /**
     * Sets whether to use dictionaries only while every client with a lease can read them; true by
     * default. Clients in other languages, and versions without leases, have none. Set it to false
     * only if all clients can read dictionaries. Even if true, check those without leases.
     */
    public Builder awaitReaders(boolean on) {
      this.awaitReaders = on;
      return this;
    }

    /**
     * Sets how many values of a policy are collected to train a dictionary; 1,000 by default,
     * enough for a good dictionary of 16 KiB. At most 2 MiB of them are kept until then, in memory
     * only.
     */
    public Builder samples(int samples) {
      this.samples = samples;
      return this;
    }

    /**
     * Sets the most processor time that a saved byte can cost beyond the policy's algorithm,
     * written and read once, measured on values held back from training. 100 ns by default: a byte
     * takes 8 ns of a link of 1 Gbit/s each way, and memory as long as it is stored.
     */
    public Builder maxNanosPerSavedByte(int nanos) {
      this.maxNanosPerSavedByte = nanos;
      return this;
    }

    /**
     * Sets how long other clients assume that this client exists; one minute by default. Four times
     * in that period the lease is renewed, and other clients' dictionaries are looked for.
     */
    public Builder lease(Duration lease) {
      this.lease = Objects.requireNonNull(lease, "lease");
      return this;
    }

    /** Sets the key prefixes whose values are neither sampled nor compressed with a dictionary. */
    public Builder except(String... prefixes) {
      this.except = List.of(prefixes);
      return this;
    }

    /**
     * Sets a filter for samples, because dictionaries are visible to other clients. It returns the
     * value without personal data, or null to omit it. It is called in the background, once for
     * each sample. If it throws, nothing is trained. By default samples are not changed.
     */
    public Builder redact(UnaryOperator<byte @Nullable []> hook) {
      this.redact = Objects.requireNonNull(hook, "hook");
      return this;
    }

    /** Sets files from {@link Dictionaries#exportTo} with dictionaries to read and write with. */
    public Builder files(Path... files) {
      this.files = List.of(files);
      return this;
    }

    /** As {@link #files}, for resources on the class path, such as "dictionaries/orders". */
    public Builder resources(String... names) {
      this.resources = List.of(names);
      return this;
    }

    /**
     * Creates the options.
     *
     * @throws IllegalArgumentException if a limit is out of its range; the message names it
     */
    @CheckReturnValue
    public DictionaryOptions build() {
      return new DictionaryOptions(this);
    }
  }
}
