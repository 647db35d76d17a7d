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
 * How a client compresses small values with trained dictionaries of Zstandard. Immutable.
 *
 * <p>For each {@link CompressionPolicy} that compresses, the client looks at the first values that
 * are written, trains a dictionary in the background, and uses it if it saves enough. A client
 * without these options reads what others compress with dictionaries, and writes none.
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

  /** Trains and uses dictionaries, with the default limits. */
  public static DictionaryOptions defaults() {
    return builder().build();
  }

  /**
   * Reads what others compress with dictionaries and writes none, as without options, and holds a
   * lease, so that others know of this reader.
   */
  public static DictionaryOptions readOnly() {
    return builder().training(false).build();
  }

  /**
   * Neither writes nor reads with dictionaries, as a client of an older version: a value that needs
   * one is unreadable. Writers that wait for readers do not use dictionaries while there is such a
   * client.
   */
  public static DictionaryOptions none() {
    Builder builder = builder().training(false);
    builder.reading = false;
    return builder.build();
  }

  /** Begins options with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether values that need a dictionary are read. */
  public boolean reading() {
    return reading;
  }

  /** Whether this client trains dictionaries, and writes with those of other clients. */
  public boolean training() {
    return training;
  }

  /** Whether dictionaries are used only while all known clients can read them. */
  public boolean awaitReaders() {
    return awaitReaders;
  }

  /** How many values of a policy are looked at before a dictionary is trained. */
  public int samples() {
    return samples;
  }

  /** How much more processor time a saved byte may cost, written and read once. */
  public int maxNanosPerSavedByte() {
    return maxNanosPerSavedByte;
  }

  /** How long others believe that this client is there. */
  public Duration lease() {
    return lease;
  }

  /** How keys begin whose values have nothing to do with dictionaries; unmodifiable. */
  public List<String> except() {
    return except;
  }

  /** What of a sample may become part of a dictionary. */
  public UnaryOperator<byte @Nullable []> redact() {
    return redact;
  }

  /** Dictionaries in files; unmodifiable. */
  public List<Path> files() {
    return files;
  }

  /** Dictionaries on the class path; unmodifiable. */
  public List<String> resources() {
    return resources;
  }

  /** Collects options. Not thread-safe. */
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
     * Whether to train dictionaries, and to write with those that other clients have trained; on by
     * default. Off, the client writes with those of {@link #files} and {@link #resources} only.
     */
    public Builder training(boolean on) {
      this.training = on;
      return this;
    }

    /**
     * Whether to use dictionaries only while every client that holds a lease can read them; on by
     * default. Clients of other languages, and versions that know no leases, hold none: turn this
     * off only when all read, and mind these when you leave it on.
     */
    public Builder awaitReaders(boolean on) {
      this.awaitReaders = on;
      return this;
    }

    /**
     * How many values of a policy to look at before a dictionary is trained; 1,000 by default,
     * enough for a good dictionary of 16 KiB. At most 2 MiB of them are kept until then, in memory
     * and nowhere else.
     */
    public Builder samples(int samples) {
      this.samples = samples;
      return this;
    }

    /**
     * How much more processor time than the policy's algorithm takes a saved byte may cost, written
     * and read once, as measured on values held back from training. 100 by default: a byte takes 8
     * ns of a link of 1 Gbit/s each way, and memory for as long as it lives.
     */
    public Builder maxNanosPerSavedByte(int nanos) {
      this.maxNanosPerSavedByte = nanos;
      return this;
    }

    /**
     * How long others believe that this client is there; a minute by default. It is renewed, and
     * the dictionaries of others are looked for, four times in that time.
     */
    public Builder lease(Duration lease) {
      this.lease = Objects.requireNonNull(lease, "lease");
      return this;
    }

    /** How keys begin whose values are neither sampled nor compressed with a dictionary. */
    public Builder except(String... prefixes) {
      this.except = List.of(prefixes);
      return this;
    }

    /**
     * What of a sample may become part of a dictionary, where others may see it: given a value, the
     * value without what is personal, or null to leave it out. Called in the background, once for
     * each sample; if it throws, nothing is trained. Everything may, by default.
     */
    public Builder redact(UnaryOperator<byte @Nullable []> hook) {
      this.redact = Objects.requireNonNull(hook, "hook");
      return this;
    }

    /** Dictionaries that {@link Dictionaries#exportTo} has written, to read and write with. */
    public Builder files(Path... files) {
      this.files = List.of(files);
      return this;
    }

    /** The same among the resources on the class path, such as "dictionaries/orders". */
    public Builder resources(String... names) {
      this.resources = List.of(names);
      return this;
    }

    /**
     * The options.
     *
     * @throws IllegalArgumentException if a limit is out of its range; the message names it
     */
    @CheckReturnValue
    public DictionaryOptions build() {
      return new DictionaryOptions(this);
    }
  }
}
