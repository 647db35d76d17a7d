// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of the starter. What {@code spring.data.redis} says holds as without it.
 *
 * @param enabled Whether to let the connections to Redis batch
 * @param required Whether the start fails where a connection factory cannot batch, instead of a
 *     warning
 * @param yielding Whether waiting threads yield the processor for some microseconds before they
 *     block. Faster on idle processors, with one to four threads and with dozens; much slower where
 *     other work wants the processors
 * @param topologySources Most nodes of a cluster that are asked for its topology at once
 * @param observe What of Redis has spans and observations, where Lettuce is observed or traced:
 *     commands, batches, sampled(n) for one command of n, or off
 * @param batching How connections batch
 * @param compression How values are compressed
 * @param availability How the guard asks whether Redis can be used
 * @param healing See {@code dev.sheaf.availability.HealingOptions}
 * @param loops How loops over single commands are found
 * @param warmUp What happens before the application is ready
 * @param embedded The embedded server for development
 * @param metrics What is measured
 * @param cache How Spring's caches use Redis
 * @param scripts How interfaces of scripts are found
 */
@ConfigurationProperties("sheaf")
public record SheafProperties(
    @DefaultValue("true") boolean enabled,
    boolean required,
    boolean yielding,
    @DefaultValue("10") int topologySources,
    @DefaultValue("commands") String observe,
    @DefaultValue Batching batching,
    @DefaultValue Compression compression,
    @DefaultValue Availability availability,
    @DefaultValue Healing healing,
    @DefaultValue Loops loops,
    @DefaultValue WarmUp warmUp,
    @DefaultValue Embedded embedded,
    @DefaultValue Metrics metrics,
    @DefaultValue Cache cache,
    @DefaultValue Scripts scripts) {

  /**
   * How connections batch.
   *
   * @param fusion Whether runs of GETs travel as MGET
   * @param hashFusion Whether runs of HGETs of one hash travel as HMGET
   * @param maxFusedKeys Most keys in one MGET, or fields in one HMGET
   * @param maxQueuedCommands Most commands that wait to be written, for each node
   * @param maxQueuedBytes Most request bytes that wait to be written, for each node
   * @param maxInFlightCommands Most commands written and not yet answered, for each node
   * @param maxInFlightBytes Most request bytes written and not yet answered, for each node
   * @param maxBatchBytes Request bytes after which a batch is written
   * @param maxLanes Most connections to a server beside the main one, for threads that block at
   *     once; 0 for one connection
   */
  public record Batching(
      @DefaultValue("true") boolean fusion,
      @DefaultValue("true") boolean hashFusion,
      @DefaultValue("100") int maxFusedKeys,
      @DefaultValue("65536") int maxQueuedCommands,
      @DefaultValue("32MB") DataSize maxQueuedBytes,
      @DefaultValue("16384") int maxInFlightCommands,
      @DefaultValue("32MB") DataSize maxInFlightBytes,
      @DefaultValue("64KB") DataSize maxBatchBytes,
      @DefaultValue("7") int maxLanes) {}

  /**
   * How values are compressed.
   *
   * @param mode Whether values are compressed (on), only read when they are (read, and read-only,
   *     which also refuses commands that would damage them), or left as they are (off)
   * @param algorithm Algorithm for keys that no policy names
   * @param policies Policies for keys with a prefix; the longest prefix holds
   * @param maxValueSize Most bytes that one value may have decompressed
   * @param maxReplySize Most bytes that the values of one reply may have decompressed
   * @param dictionaries How small values are compressed with trained dictionaries of Zstandard
   */
  public record Compression(
      @DefaultValue("read") CompressionMode mode,
      @DefaultValue("snappy") CompressionAlgorithm algorithm,
      @DefaultValue List<Policy> policies,
      @DefaultValue("64MB") DataSize maxValueSize,
      @DefaultValue("256MB") DataSize maxReplySize,
      @DefaultValue Dictionaries dictionaries) {}

  /**
   * How small values are compressed with trained dictionaries of Zstandard.
   *
   * @param mode Whether dictionaries are trained and used (on), only read, by a reader that writers
   *     know of (read-only), not even read, which writers know too (none), or read by a reader that
   *     writers know nothing of (off)
   * @param training Whether to train dictionaries, and to write with those of others; else only
   *     with given ones
   * @param awaitReaders Whether dictionaries are used only while all known clients can read them
   * @param samples Number of values of a policy that are looked at before a dictionary is trained
   * @param maxNanosPerSavedByte Most nanoseconds of processor time that a saved byte may cost
   * @param lease Time that other clients believe that this one is there
   * @param except Beginnings of keys whose values have nothing to do with dictionaries
   * @param files Files of exported dictionaries, to read and write with
   * @param resources Resources on the class path with exported dictionaries, to read and write with
   */
  public record Dictionaries(
      @DefaultValue("off") DictionaryMode mode,
      @DefaultValue("true") boolean training,
      @DefaultValue("true") boolean awaitReaders,
      @DefaultValue("1000") int samples,
      @DefaultValue("100") int maxNanosPerSavedByte,
      @DefaultValue("60s") Duration lease,
      @DefaultValue List<String> except,
      @DefaultValue List<Path> files,
      @DefaultValue List<String> resources) {}

  /**
   * What becomes of the values of keys that begin with a prefix.
   *
   * @param prefix Beginning of the keys; empty for all keys
   * @param algorithm Algorithm that compresses new values; NONE to leave them as they are
   * @param minSize Size below which a value stays as it is
   * @param minGain Part of a value that must be saved for it to be stored compressed, from 0 to 1
   */
  public record Policy(
      @DefaultValue("") String prefix,
      @DefaultValue("snappy") CompressionAlgorithm algorithm,
      @DefaultValue("256B") DataSize minSize,
      @DefaultValue("0.1") double minGain) {}

  /**
   * How the guard asks whether Redis can be used.
   *
   * @param timeout Time that a caller waits for an answer, and after which an answer is slow
   * @param maxAge Age up to which a sign of life is accepted
   * @param interval Longest time between two PINGs to a node that nothing else is heard of
   * @param health Whether the guard's state replaces Spring Boot's own health of Redis
   * @param healthDownAfter Time that the guard must have found Redis DOWN before the health is
   *     DOWN; until then it is UP with the detail SLOW. Unless set, the command time-out, 5s at
   *     most
   * @param failFastWhileDown Whether commands to a node that the guard found DOWN fail at once
   */
  public record Availability(
      @DefaultValue("200ms") Duration timeout,
      @DefaultValue("1s") Duration maxAge,
      @DefaultValue("900ms") Duration interval,
      @DefaultValue("true") boolean health,
      @Nullable Duration healthDownAfter,
      boolean failFastWhileDown) {}

  /**
   * See {@code dev.sheaf.availability.HealingOptions}.
   *
   * @param enabled Whether connections that stay broken are closed and made anew
   * @param refusedFor Time that a node may answer nothing but LOADING, MASTERDOWN or CLUSTERDOWN
   */
  public record Healing(
      @DefaultValue("true") boolean enabled, @DefaultValue("5s") Duration refusedFor) {}

  /**
   * How loops over single commands are found.
   *
   * @param detection Whether to look for loops that make one round trip after the other
   * @param learn Whether to learn loops that nobody declared, and to read their keys ahead
   * @param maxAge Time that a value which was read ahead for such a loop may wait to be handed out
   */
  public record Loops(
      @DefaultValue("true") boolean detection,
      boolean learn,
      @DefaultValue("50ms") Duration maxAge) {}

  /**
   * What happens before the application is ready.
   *
   * @param enabled Whether to open the connections to all nodes before the application is ready
   * @param timeout Time that the application waits for these connections at most
   */
  public record WarmUp(
      @DefaultValue("true") boolean enabled, @DefaultValue("2s") Duration timeout) {}

  /**
   * The embedded server for development.
   *
   * @param enabled Whether to start the embedded server if it is on the class path and no Redis is
   *     configured
   * @param port TCP port of the embedded server; 0 for a free one
   * @param masters Number of primaries if it is to be a cluster; 0 for a single server
   * @param latency Time that each round trip to it takes longer, as by a network
   * @param refusedProfiles Profiles under which it does not start
   * @param allowedInProduction Whether to start it under these profiles nonetheless
   */
  public record Embedded(
      @DefaultValue("true") boolean enabled,
      int port,
      int masters,
      @DefaultValue("0") Duration latency,
      @DefaultValue({"prod", "production"}) List<String> refusedProfiles,
      boolean allowedInProduction) {}

  /**
   * What is measured.
   *
   * @param enabled Whether to register meters with the application's registry
   */
  public record Metrics(@DefaultValue("true") boolean enabled) {}

  /**
   * How Spring's caches use Redis.
   *
   * @param guarded Whether a slow or lost Redis counts as a miss, and not as an error
   * @param readTimeout Time that a cache waits for Redis before it is a miss
   * @param loadTimeout Time that a caller waits for another one that loads the same key, before it
   *     loads too
   */
  public record Cache(
      @DefaultValue("true") boolean guarded,
      @DefaultValue("200ms") Duration readTimeout,
      @DefaultValue("10s") Duration loadTimeout) {}

  /**
   * How interfaces of scripts are found.
   *
   * @param scan Whether interfaces with scripts in the application's packages become beans
   */
  public record Scripts(@DefaultValue("true") boolean scan) {}

  /** Whether values are compressed. */
  public enum CompressionMode {
    /** Compresses new values and reads compressed ones. */
    ON,
    /**
     * Reads compressed values, compresses none, and refuses commands such as APPEND that would
     * damage compressed ones: the step before {@link #ON}.
     */
    READ_ONLY,
    /** Reads compressed values, compresses none and refuses nothing. */
    READ,
    /** Leaves all values as they are. */
    OFF
  }

  /** What is done with dictionaries. */
  public enum DictionaryMode {
    /** Trains dictionaries and compresses with them. */
    ON,
    /** Reads what others compress with dictionaries, and lets writers know of this reader. */
    READ_ONLY,
    /** Reads nothing that needs a dictionary, and lets writers know that they have to wait. */
    NONE,
    /** Reads what others compress with dictionaries; writers know nothing of this reader. */
    OFF
  }

  /** An algorithm of the wire format. */
  public enum CompressionAlgorithm {
    SNAPPY,
    LZ4,
    ZSTD,
    NONE
  }
}
