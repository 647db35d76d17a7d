package dev.sheaf.spring.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** The properties of the starter. What {@code spring.data.redis} says holds as without it. */
@ConfigurationProperties("sheaf")
public class SheafProperties {

  /** Whether to let the connections to Redis batch. */
  private boolean enabled = true;

  /** Whether the start fails where a connection factory cannot batch, instead of a warning. */
  private boolean required = false;

  /**
   * Whether waiting threads yield the processor for some microseconds before they sleep. Faster
   * with many threads on idle processors, much slower where other work wants the processors.
   */
  private boolean yielding;

  /**
   * What of Redis has spans and observations, where Lettuce is observed or traced: commands,
   * batches, sampled(n) for one command of n, or off.
   */
  private String observe = "commands";

  private final Batching batching = new Batching();

  private final Compression compression = new Compression();

  private final Availability availability = new Availability();

  private final Healing healing = new Healing();

  private final Loops loops = new Loops();

  private final WarmUp warmUp = new WarmUp();

  private final Embedded embedded = new Embedded();

  private final Metrics metrics = new Metrics();

  private final Cache cache = new Cache();

  private final Scripts scripts = new Scripts();

  public boolean isEnabled() {
    return enabled;
  }

  public void setEnabled(boolean enabled) {
    this.enabled = enabled;
  }

  public boolean isRequired() {
    return required;
  }

  public void setRequired(boolean required) {
    this.required = required;
  }

  public boolean isYielding() {
    return yielding;
  }

  public void setYielding(boolean yielding) {
    this.yielding = yielding;
  }

  public String getObserve() {
    return observe;
  }

  public void setObserve(String observe) {
    this.observe = observe;
  }

  public Batching getBatching() {
    return batching;
  }

  public Compression getCompression() {
    return compression;
  }

  public Availability getAvailability() {
    return availability;
  }

  public Healing getHealing() {
    return healing;
  }

  public Loops getLoops() {
    return loops;
  }

  public WarmUp getWarmUp() {
    return warmUp;
  }

  public Embedded getEmbedded() {
    return embedded;
  }

  public Metrics getMetrics() {
    return metrics;
  }

  public Cache getCache() {
    return cache;
  }

  public Scripts getScripts() {
    return scripts;
  }

  /** How connections batch. */
  public static class Batching {

    /** Whether runs of GETs travel as MGET. */
    private boolean fusion = true;

    /** Whether runs of HGETs of one hash travel as HMGET. */
    private boolean hashFusion = true;

    /** Most keys in one MGET, or fields in one HMGET. */
    private int maxFusedKeys = 100;

    /** Most commands that wait to be written, for each node. */
    private int maxQueuedCommands = 65_536;

    /** Most request bytes that wait to be written, for each node. */
    private DataSize maxQueuedBytes = DataSize.ofMegabytes(32);

    /** Most commands written and not yet answered, for each node. */
    private int maxInFlightCommands = 16_384;

    /** Most request bytes written and not yet answered, for each node. */
    private DataSize maxInFlightBytes = DataSize.ofMegabytes(32);

    /** Request bytes after which a batch is written. */
    private DataSize maxBatchBytes = DataSize.ofKilobytes(64);

    /**
     * Most connections to a single server beside the main one, for threads that block for reads at
     * once; 0 for one connection.
     */
    private int maxLanes = 7;

    public boolean isFusion() {
      return fusion;
    }

    public void setFusion(boolean fusion) {
      this.fusion = fusion;
    }

    public boolean isHashFusion() {
      return hashFusion;
    }

    public void setHashFusion(boolean hashFusion) {
      this.hashFusion = hashFusion;
    }

    public int getMaxFusedKeys() {
      return maxFusedKeys;
    }

    public void setMaxFusedKeys(int maxFusedKeys) {
      this.maxFusedKeys = maxFusedKeys;
    }

    public int getMaxQueuedCommands() {
      return maxQueuedCommands;
    }

    public void setMaxQueuedCommands(int maxQueuedCommands) {
      this.maxQueuedCommands = maxQueuedCommands;
    }

    public DataSize getMaxQueuedBytes() {
      return maxQueuedBytes;
    }

    public void setMaxQueuedBytes(DataSize maxQueuedBytes) {
      this.maxQueuedBytes = maxQueuedBytes;
    }

    public int getMaxInFlightCommands() {
      return maxInFlightCommands;
    }

    public void setMaxInFlightCommands(int maxInFlightCommands) {
      this.maxInFlightCommands = maxInFlightCommands;
    }

    public DataSize getMaxInFlightBytes() {
      return maxInFlightBytes;
    }

    public void setMaxInFlightBytes(DataSize maxInFlightBytes) {
      this.maxInFlightBytes = maxInFlightBytes;
    }

    public DataSize getMaxBatchBytes() {
      return maxBatchBytes;
    }

    public void setMaxBatchBytes(DataSize maxBatchBytes) {
      this.maxBatchBytes = maxBatchBytes;
    }

    public int getMaxLanes() {
      return maxLanes;
    }

    public void setMaxLanes(int maxLanes) {
      this.maxLanes = maxLanes;
    }
  }

  /** How values are compressed. */
  public static class Compression {

    /**
     * Whether values are compressed (on), only read when they are (read, and read-only, which also
     * refuses commands that would damage them), or left as they are (off).
     */
    private CompressionMode mode = CompressionMode.READ;

    /** Algorithm for keys that no policy names. */
    private CompressionAlgorithm algorithm = CompressionAlgorithm.SNAPPY;

    /** Policies for keys with a prefix; the longest prefix holds. */
    private List<Policy> policies = new ArrayList<>();

    /** Whether keys that begin alike are left as they are once their values did not compress. */
    private boolean learning = true;

    /** Most bytes that one value may have decompressed. */
    private DataSize maxValueSize = DataSize.ofMegabytes(64);

    /** Most bytes that the values of one reply may have decompressed. */
    private DataSize maxReplySize = DataSize.ofMegabytes(256);

    private final Dictionaries dictionaries = new Dictionaries();

    public CompressionMode getMode() {
      return mode;
    }

    public void setMode(CompressionMode mode) {
      this.mode = mode;
    }

    public CompressionAlgorithm getAlgorithm() {
      return algorithm;
    }

    public void setAlgorithm(CompressionAlgorithm algorithm) {
      this.algorithm = algorithm;
    }

    public List<Policy> getPolicies() {
      return policies;
    }

    public void setPolicies(List<Policy> policies) {
      this.policies = policies;
    }

    public boolean isLearning() {
      return learning;
    }

    public void setLearning(boolean learning) {
      this.learning = learning;
    }

    public DataSize getMaxValueSize() {
      return maxValueSize;
    }

    public void setMaxValueSize(DataSize maxValueSize) {
      this.maxValueSize = maxValueSize;
    }

    public DataSize getMaxReplySize() {
      return maxReplySize;
    }

    public void setMaxReplySize(DataSize maxReplySize) {
      this.maxReplySize = maxReplySize;
    }

    public Dictionaries getDictionaries() {
      return dictionaries;
    }
  }

  /** How small values are compressed with trained dictionaries of Zstandard. */
  public static class Dictionaries {

    /**
     * Whether dictionaries are trained and used (on), only read, by a reader that writers know of
     * (read-only), not even read, which writers know too (none), or read by a reader that writers
     * know nothing of (off).
     */
    private DictionaryMode mode = DictionaryMode.OFF;

    /**
     * Whether to train dictionaries, and to write with those of others; else only with given ones.
     */
    private boolean training = true;

    /** Whether dictionaries are used only while all known clients can read them. */
    private boolean awaitReaders = true;

    /** Number of values of a policy that are looked at before a dictionary is trained. */
    private int samples = 1_000;

    /** Most bytes of values that are kept for training, for each policy. */
    private DataSize sampleSize = DataSize.ofMegabytes(2);

    /** Size of a dictionary. */
    private DataSize size = DataSize.ofKilobytes(16);

    /** Part of what the policy's algorithm stores that a dictionary must save, from 0 to 1. */
    private double minSaving = 0.2;

    /** Most nanoseconds of processor time that a saved byte may cost. */
    private int maxNanosPerSavedByte = 100;

    /** Time that other clients believe that this one is there. */
    private Duration lease = Duration.ofSeconds(60);

    /** Beginnings of keys whose values have nothing to do with dictionaries. */
    private List<String> except = new ArrayList<>();

    /** Files of exported dictionaries, to read and write with. */
    private List<Path> files = new ArrayList<>();

    /** Resources on the class path with exported dictionaries, to read and write with. */
    private List<String> resources = new ArrayList<>();

    public DictionaryMode getMode() {
      return mode;
    }

    public void setMode(DictionaryMode mode) {
      this.mode = mode;
    }

    public boolean isTraining() {
      return training;
    }

    public void setTraining(boolean training) {
      this.training = training;
    }

    public boolean isAwaitReaders() {
      return awaitReaders;
    }

    public void setAwaitReaders(boolean awaitReaders) {
      this.awaitReaders = awaitReaders;
    }

    public int getSamples() {
      return samples;
    }

    public void setSamples(int samples) {
      this.samples = samples;
    }

    public DataSize getSampleSize() {
      return sampleSize;
    }

    public void setSampleSize(DataSize sampleSize) {
      this.sampleSize = sampleSize;
    }

    public DataSize getSize() {
      return size;
    }

    public void setSize(DataSize size) {
      this.size = size;
    }

    public double getMinSaving() {
      return minSaving;
    }

    public void setMinSaving(double minSaving) {
      this.minSaving = minSaving;
    }

    public int getMaxNanosPerSavedByte() {
      return maxNanosPerSavedByte;
    }

    public void setMaxNanosPerSavedByte(int maxNanosPerSavedByte) {
      this.maxNanosPerSavedByte = maxNanosPerSavedByte;
    }

    public Duration getLease() {
      return lease;
    }

    public void setLease(Duration lease) {
      this.lease = lease;
    }

    public List<String> getExcept() {
      return except;
    }

    public void setExcept(List<String> except) {
      this.except = except;
    }

    public List<Path> getFiles() {
      return files;
    }

    public void setFiles(List<Path> files) {
      this.files = files;
    }

    public List<String> getResources() {
      return resources;
    }

    public void setResources(List<String> resources) {
      this.resources = resources;
    }
  }

  /** What becomes of the values of keys that begin with a prefix. */
  public static class Policy {

    /** Beginning of the keys; empty for all keys. */
    private String prefix = "";

    /** Algorithm that compresses new values; NONE to leave them as they are. */
    private CompressionAlgorithm algorithm = CompressionAlgorithm.SNAPPY;

    /** Size below which a value stays as it is. */
    private DataSize minSize = DataSize.ofBytes(256);

    /** Part of a value that must be saved for it to be stored compressed, from 0 to 1. */
    private double minGain = 0.1;

    public String getPrefix() {
      return prefix;
    }

    public void setPrefix(String prefix) {
      this.prefix = prefix;
    }

    public CompressionAlgorithm getAlgorithm() {
      return algorithm;
    }

    public void setAlgorithm(CompressionAlgorithm algorithm) {
      this.algorithm = algorithm;
    }

    public DataSize getMinSize() {
      return minSize;
    }

    public void setMinSize(DataSize minSize) {
      this.minSize = minSize;
    }

    public double getMinGain() {
      return minGain;
    }

    public void setMinGain(double minGain) {
      this.minGain = minGain;
    }
  }

  /** How the guard asks whether Redis can be used. */
  public static class Availability {

    /** Time that a caller waits for an answer, and after which an answer is slow. */
    private Duration timeout = Duration.ofMillis(200);

    /** Age up to which a sign of life is accepted. */
    private Duration maxAge = Duration.ofSeconds(1);

    /** Longest time between two PINGs to a node that nothing else is heard of. */
    private Duration interval = Duration.ofMillis(900);

    /** Whether the guard's state replaces Spring Boot's own health of Redis. */
    private boolean health = true;

    /**
     * Time that the guard must have found Redis DOWN before the health is DOWN; until then it is UP
     * with the detail SLOW. Unless set, the command time-out, 5s at most.
     */
    private @Nullable Duration healthDownAfter;

    /** Whether commands to a node that the guard found DOWN fail at once. */
    private boolean failFastWhileDown;

    public Duration getTimeout() {
      return timeout;
    }

    public void setTimeout(Duration timeout) {
      this.timeout = timeout;
    }

    public Duration getMaxAge() {
      return maxAge;
    }

    public void setMaxAge(Duration maxAge) {
      this.maxAge = maxAge;
    }

    public Duration getInterval() {
      return interval;
    }

    public void setInterval(Duration interval) {
      this.interval = interval;
    }

    public boolean isHealth() {
      return health;
    }

    public void setHealth(boolean health) {
      this.health = health;
    }

    public @Nullable Duration getHealthDownAfter() {
      return healthDownAfter;
    }

    public void setHealthDownAfter(@Nullable Duration healthDownAfter) {
      this.healthDownAfter = healthDownAfter;
    }

    public boolean isFailFastWhileDown() {
      return failFastWhileDown;
    }

    public void setFailFastWhileDown(boolean failFastWhileDown) {
      this.failFastWhileDown = failFastWhileDown;
    }
  }

  /** See {@code dev.sheaf.availability.HealingOptions}. */
  public static class Healing {

    /** Whether connections that stay broken are closed and made anew. */
    private boolean enabled = true;

    /** Shortest time between two closings of a connection; it doubles each time. */
    private Duration minPause = Duration.ofMillis(250);

    /** Longest time between two closings of a connection. */
    private Duration maxPause = Duration.ofSeconds(10);

    /** Most connections that are closed in a second; all clients of the JVM share it. */
    private int maxPerSecond = 20;

    /** Time that a node may answer nothing but LOADING, MASTERDOWN or CLUSTERDOWN. */
    private Duration refusedFor = Duration.ofSeconds(5);

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public Duration getMinPause() {
      return minPause;
    }

    public void setMinPause(Duration minPause) {
      this.minPause = minPause;
    }

    public Duration getMaxPause() {
      return maxPause;
    }

    public void setMaxPause(Duration maxPause) {
      this.maxPause = maxPause;
    }

    public int getMaxPerSecond() {
      return maxPerSecond;
    }

    public void setMaxPerSecond(int maxPerSecond) {
      this.maxPerSecond = maxPerSecond;
    }

    public Duration getRefusedFor() {
      return refusedFor;
    }

    public void setRefusedFor(Duration refusedFor) {
      this.refusedFor = refusedFor;
    }
  }

  /** How loops over single commands are found. */
  public static class Loops {

    /** Whether to look for loops that make one round trip after the other. */
    private boolean detection = true;

    /** Whether to learn loops that nobody declared, and to read their keys ahead. */
    private boolean learn;

    /** Time that a value which was read ahead for such a loop may wait to be handed out. */
    private Duration maxAge = Duration.ofMillis(50);

    public boolean isDetection() {
      return detection;
    }

    public void setDetection(boolean detection) {
      this.detection = detection;
    }

    public boolean isLearn() {
      return learn;
    }

    public void setLearn(boolean learn) {
      this.learn = learn;
    }

    public Duration getMaxAge() {
      return maxAge;
    }

    public void setMaxAge(Duration maxAge) {
      this.maxAge = maxAge;
    }
  }

  /** What happens before the application is ready. */
  public static class WarmUp {

    /** Whether to open the connections to all nodes before the application is ready. */
    private boolean enabled = true;

    /** Time that the application waits for these connections at most. */
    private Duration timeout = Duration.ofSeconds(2);

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public Duration getTimeout() {
      return timeout;
    }

    public void setTimeout(Duration timeout) {
      this.timeout = timeout;
    }
  }

  /** The embedded server for development. */
  public static class Embedded {

    /**
     * Whether to start the embedded server if it is on the class path and no Redis is configured.
     */
    private boolean enabled = true;

    /** TCP port of the embedded server; 0 for a free one. */
    private int port = 0;

    /** Number of primaries if it is to be a cluster; 0 for a single server. */
    private int masters = 0;

    /** Time that each round trip to it takes longer, as by a network. */
    private Duration latency = Duration.ZERO;

    /** Profiles under which it does not start. */
    private List<String> refusedProfiles = new ArrayList<>(List.of("prod", "production"));

    /** Whether to start it under these profiles nonetheless. */
    private boolean allowedInProduction = false;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public int getPort() {
      return port;
    }

    public void setPort(int port) {
      this.port = port;
    }

    public int getMasters() {
      return masters;
    }

    public void setMasters(int masters) {
      this.masters = masters;
    }

    public Duration getLatency() {
      return latency;
    }

    public void setLatency(Duration latency) {
      this.latency = latency;
    }

    public List<String> getRefusedProfiles() {
      return refusedProfiles;
    }

    public void setRefusedProfiles(List<String> refusedProfiles) {
      this.refusedProfiles = refusedProfiles;
    }

    public boolean isAllowedInProduction() {
      return allowedInProduction;
    }

    public void setAllowedInProduction(boolean allowedInProduction) {
      this.allowedInProduction = allowedInProduction;
    }
  }

  /** What is measured. */
  public static class Metrics {

    /** Whether to register meters with the application's registry. */
    private boolean enabled = true;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }
  }

  /** How Spring's caches use Redis. */
  public static class Cache {

    /** Whether a slow or lost Redis counts as a miss, and not as an error. */
    private boolean guarded = true;

    /** Time that a cache waits for Redis before it is a miss. */
    private Duration readTimeout = Duration.ofMillis(200);

    /** Time that a caller waits for another one that loads the same key, before it loads too. */
    private Duration loadTimeout = Duration.ofSeconds(10);

    public boolean isGuarded() {
      return guarded;
    }

    public void setGuarded(boolean guarded) {
      this.guarded = guarded;
    }

    public Duration getReadTimeout() {
      return readTimeout;
    }

    public void setReadTimeout(Duration readTimeout) {
      this.readTimeout = readTimeout;
    }

    public Duration getLoadTimeout() {
      return loadTimeout;
    }

    public void setLoadTimeout(Duration loadTimeout) {
      this.loadTimeout = loadTimeout;
    }
  }

  /** How interfaces of scripts are found. */
  public static class Scripts {

    /** Whether interfaces with scripts in the application's packages become beans. */
    private boolean scan = true;

    public boolean isScan() {
      return scan;
    }

    public void setScan(boolean scan) {
      this.scan = scan;
    }
  }

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
