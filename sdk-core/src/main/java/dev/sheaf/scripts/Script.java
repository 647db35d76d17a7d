// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.CheckReturnValue;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Lua script, or a function of a library on the server: its text, what it takes, what it returns
 * and whether it writes. A constant of the application; {@link Scripts#register} makes it callable.
 *
 * <pre>{@code
 * static final Script<Long> SUM =
 *     Script.fromClassPath("lua/sum.lua").readOnly().atLeastKeys(1).args(0).returns(INTEGER);
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 *
 * @param <T> the type of the result
 */
public final class Script<T extends @Nullable Object> {

  private static final Pattern LIBRARY = Pattern.compile("^#!\\S+[^\\n]*?\\bname=[A-Za-z0-9_]+");

  private final Definition definition;
  private final ResultType<T> result;
  private final String sha1;

  private Script(Definition definition, ResultType<T> result) {
    this.definition = definition;
    this.result = result;
    this.sha1 = sha1(definition.text);
  }

  /** Begins a script with the given text. Its name is the beginning of its digest, unless set. */
  public static Definition of(String text) {
    Objects.requireNonNull(text, "text");
    return new Definition("script " + sha1(text).substring(0, 8), "its text", text, null);
  }

  /**
   * Begins a script that is a file of the class path, in UTF-8.
   *
   * @param resource its path, with or without {@code classpath:} or a slash before it
   * @throws ScriptException if there is no such file
   */
  public static Definition fromClassPath(String resource) {
    return fromClassPath(resource, ScriptFiles.callersClassLoader());
  }

  /**
   * As {@link #fromClassPath(String)}, from the files that a class loader sees.
   *
   * @throws ScriptException if there is no such file
   */
  public static Definition fromClassPath(String resource, ClassLoader loader) {
    String path = ScriptFiles.path(resource);
    return new Definition(
        ScriptFiles.baseName(path), "classpath:" + path, ScriptFiles.read(path, loader), null);
  }

  /**
   * Begins a function, for servers from version 7.
   *
   * @param library the text of its library, which begins with {@code #!lua name=…}
   * @param function the name under which the library registers it
   * @throws ScriptException if the text does not name the library
   */
  public static Definition function(String library, String function) {
    return function(library, function, "its text");
  }

  /**
   * Begins a function whose library is a file of the class path; see {@link #function}.
   *
   * @throws ScriptException if there is no such file, or it does not name the library
   */
  public static Definition functionFromClassPath(String resource, String function) {
    String path = ScriptFiles.path(resource);
    return function(
        ScriptFiles.read(path, ScriptFiles.callersClassLoader()), function, "classpath:" + path);
  }

  private static Definition function(String library, String function, String source) {
    Objects.requireNonNull(function, "function");
    if (!LIBRARY.matcher(library).find()) {
      throw new ScriptException(
          "The library of function "
              + function
              + " ("
              + source
              + ") must begin with a line such as '#!lua name=mylib', but begins with '"
              + library.lines().findFirst().orElse("")
              + "'");
    }
    return new Definition(function, source, library, function);
  }

  /** The name in meters and messages. */
  public String name() {
    return definition.name;
  }

  /** The text; of a function, that of its library. */
  public String text() {
    return definition.text;
  }

  /** The digest under which the server knows the text: 40 hexadecimal digits in lower case. */
  public String sha1() {
    return sha1;
  }

  /** Whether it only reads, and so may run on replicas and be sent again. */
  public boolean isReadOnly() {
    return definition.readOnly;
  }

  /** Whether this is a function of a library and not a script. */
  public boolean isFunction() {
    return definition.function != null;
  }

  /** What it returns. */
  public ResultType<T> result() {
    return result;
  }

  /** The name under which the server knows a function; null for a script. */
  public @Nullable String function() {
    return definition.function;
  }

  /** Where the text comes from, as messages name it. */
  public String source() {
    return definition.source;
  }

  /** Whether every call carries the text; see {@link Definition#inOrder}. */
  public boolean isInOrder() {
    return definition.inOrder;
  }

  /**
   * Checks how many keys and arguments a call has.
   *
   * @throws IllegalArgumentException if they are too few or too many
   */
  public void checkCounts(int keys, int args) {
    definition.keys.check(definition.name, "keys", keys);
    definition.args.check(definition.name, "arguments", args);
  }

  /**
   * Checks how many arguments a scatter has; its slices have fewer keys than a call may need.
   *
   * @throws IllegalArgumentException if they are too few or too many
   */
  public void checkArgs(int args) {
    definition.args.check(definition.name, "arguments", args);
  }

  /** How many of something a script takes. */
  record Count(int min, int max) {

    static final Count ANY = new Count(0, Integer.MAX_VALUE);

    void check(String script, String what, int count) {
      if (count < min || count > max) {
        throw new IllegalArgumentException(
            "Script '"
                + script
                + "' takes "
                + this
                + " "
                + what
                + ", but was called with "
                + count);
      }
    }

    @Override
    public String toString() {
      if (min == max) {
        return Integer.toString(min);
      }
      return max == Integer.MAX_VALUE ? "at least " + min : min + " to " + max;
    }
  }

  static String sha1(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-1", e);
    }
  }

  @Override
  public String toString() {
    return "Script '" + definition.name + "' (" + definition.source + ")";
  }

  /** A script whose result is not declared yet. Not thread-safe. */
  public static final class Definition {

    private String name;
    private final String source;
    private final String text;
    private final @Nullable String function;
    private boolean readOnly;
    private boolean inOrder;
    private Count keys = Count.ANY;
    private Count args = Count.ANY;

    private Definition(String name, String source, String text, @Nullable String function) {
      this.name = name;
      this.source = source;
      this.text = text;
      this.function = function;
    }

    private Definition(Definition other) {
      this(other.name, other.source, other.text, other.function);
      this.readOnly = other.readOnly;
      this.inOrder = other.inOrder;
      this.keys = other.keys;
      this.args = other.args;
    }

    /** A name for meters and messages; by default that of the file or the function. */
    public Definition named(String name) {
      this.name = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * It only reads. It is sent as EVALSHA_RO or FCALL_RO (servers from version 7), which the
     * server holds it to; it goes to replicas where the client's {@code ReadFrom} says so, and
     * again after a lost connection. A function must be registered with the flag {@code no-writes}.
     */
    public Definition readOnly() {
      this.readOnly = true;
      return this;
    }

    /**
     * Every call carries the whole text, as EVAL does. The server then never answers that it does
     * not know the script, so that no call can ever run behind later commands of its caller. It
     * costs the bytes of the text, and their digest on the server.
     */
    public Definition inOrder() {
      this.inOrder = true;
      return this;
    }

    /** It takes exactly this many keys; any number by default. */
    public Definition keys(int count) {
      this.keys = exactly("keys", count);
      return this;
    }

    /** It takes at least this many keys. */
    public Definition atLeastKeys(int count) {
      this.keys = new Count(exactly("keys", count).min, Integer.MAX_VALUE);
      return this;
    }

    /** It takes exactly this many arguments besides its keys; any number by default. */
    public Definition args(int count) {
      this.args = exactly("args", count);
      return this;
    }

    /** It takes so many arguments besides its keys. */
    public Definition args(int min, int max) {
      if (max < min) {
        throw new IllegalArgumentException("args has min " + min + " above max " + max);
      }
      this.args = new Count(exactly("args", min).min, max);
      return this;
    }

    private static Count exactly(String what, int count) {
      if (count < 0) {
        throw new IllegalArgumentException(what + " must not be negative, but was " + count);
      }
      return new Count(count, count);
    }

    /** The script with its type of result. This definition may be used again. */
    @CheckReturnValue
    public <T extends @Nullable Object> Script<T> returns(ResultType<T> type) {
      return new Script<>(new Definition(this), Objects.requireNonNull(type, "type"));
    }
  }
}
