package dev.sheaf.spring.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.util.unit.DataSize;

/**
 * The properties of the endpoint of stored values: what it shows, and to which users. Not
 * thread-safe; bound once.
 */
@ConfigurationProperties("sheaf.admin")
public class SheafAdminProperties {

  /** When to show values, and not only their sizes. */
  private Show showValues = Show.NEVER;

  /**
   * Roles or authorities, one of which a user needs to see values when-authorized. When empty, all
   * authenticated users see them.
   */
  private Set<String> roles = new HashSet<>();

  /** Largest value to read, decompress and show. */
  private DataSize maxValueSize = DataSize.ofMegabytes(1);

  /** Number of elements to show of a hash, list, set, sorted set or stream. */
  private int maxElements = 100;

  /** Time to wait for Redis. */
  private Duration timeout = Duration.ofSeconds(2);

  /** Number of keys to look at at the same time. */
  private int maxConcurrentReads = 2;

  @NestedConfigurationProperty private final Keys keys = new Keys();

  @NestedConfigurationProperty private final Redact redact = new Redact();

  /** When values are shown; never by default. */
  public Show getShowValues() {
    return showValues;
  }

  /** Sets when values are shown. */
  public void setShowValues(Show showValues) {
    this.showValues = showValues;
  }

  /** One of these is needed to see values; all authenticated users may if it is empty. */
  public Set<String> getRoles() {
    return roles;
  }

  /** Sets the roles. */
  public void setRoles(Set<String> roles) {
    this.roles = roles;
  }

  /** The largest value that is read, decompressed and shown; 1 MB by default. */
  public DataSize getMaxValueSize() {
    return maxValueSize;
  }

  /** Sets the size of the largest value. */
  public void setMaxValueSize(DataSize maxValueSize) {
    this.maxValueSize = maxValueSize;
  }

  /** How many elements of a key are shown; 100 by default. */
  public int getMaxElements() {
    return maxElements;
  }

  /** Sets how many elements are shown. */
  public void setMaxElements(int maxElements) {
    this.maxElements = maxElements;
  }

  /** How long a request waits for Redis; 2 s by default. */
  public Duration getTimeout() {
    return timeout;
  }

  /** Sets how long a request waits. */
  public void setTimeout(Duration timeout) {
    this.timeout = timeout;
  }

  /** How many keys are looked at at the same time; 2 by default. */
  public int getMaxConcurrentReads() {
    return maxConcurrentReads;
  }

  /** Sets how many keys are looked at at the same time. */
  public void setMaxConcurrentReads(int maxConcurrentReads) {
    this.maxConcurrentReads = maxConcurrentReads;
  }

  /** Which keys may be looked at. */
  public Keys getKeys() {
    return keys;
  }

  /** What is redacted. */
  public Redact getRedact() {
    return redact;
  }

  /** Which keys may be looked at. */
  public static class Keys {

    /** Patterns of the keys that may be looked at, with asterisks. */
    private List<String> allow = new ArrayList<>(List.of("*"));

    /** Patterns of keys that may not be looked at, whatever is allowed. Case does not count. */
    private List<String> deny = new ArrayList<>();

    /** Whether to deny keys that are named like secrets, too. */
    private boolean denyUsual = true;

    /** Patterns of what may be looked at; all keys by default. */
    public List<String> getAllow() {
      return allow;
    }

    /** Sets what may be looked at. */
    public void setAllow(List<String> allow) {
      this.allow = allow;
    }

    /** Patterns of what may not be looked at. */
    public List<String> getDeny() {
      return deny;
    }

    /** Sets what may not be looked at. */
    public void setDeny(List<String> deny) {
      this.deny = deny;
    }

    /** Whether keys that are named like secrets are denied; true by default. */
    public boolean isDenyUsual() {
      return denyUsual;
    }

    /** Sets whether keys that are named like secrets are denied. */
    public void setDenyUsual(boolean denyUsual) {
      this.denyUsual = denyUsual;
    }
  }

  /** What is redacted in the values that are shown. */
  public static class Redact {

    /**
     * Names of fields to redact, with asterisks. Only letters and digits count, and case does not.
     */
    private List<String> fields = new ArrayList<>();

    /** Whether to redact fields that are named like secrets, too. */
    private boolean usual = true;

    /** Whether to show binary values and texts that have no fields to be told apart. */
    private boolean showUnstructured;

    /** Names of fields to redact. */
    public List<String> getFields() {
      return fields;
    }

    /** Sets names of fields to redact. */
    public void setFields(List<String> fields) {
      this.fields = fields;
    }

    /** Whether fields that are named like secrets are redacted; true by default. */
    public boolean isUsual() {
      return usual;
    }

    /** Sets whether fields that are named like secrets are redacted. */
    public void setUsual(boolean usual) {
      this.usual = usual;
    }

    /** Whether values are shown in which no fields can be told apart; false by default. */
    public boolean isShowUnstructured() {
      return showUnstructured;
    }

    /** Sets whether values are shown in which no fields can be told apart. */
    public void setShowUnstructured(boolean showUnstructured) {
      this.showUnstructured = showUnstructured;
    }
  }
}
