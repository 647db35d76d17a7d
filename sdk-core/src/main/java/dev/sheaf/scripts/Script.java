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
 * A Lua script, or a function of a library on the server: its text, its parameters, its result, and
 * whether it writes. Typically a constant. {@link Scripts#register} makes it callable.
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

  /**
   * Starts the definition of a script with a text. Unless set, its name is the start of its digest.
   */
  public static Definition of(String text) {
    Objects.requireNonNull(text, "text");
    return new Definition("script " + sha1(text).substring(0, 8), "its text", text, null);
  }

  /**
   * Starts the definition of a script in a file on the class path, in UTF-8.
   *
   * @param resource the path of the file, with or without {@code classpath:} or a leading slash
   * @throws ScriptException if there is no such file
   */
  public static Definition fromClassPath(String resource) {
    return fromClassPath(resource, ScriptFiles.callersClassLoader());
  }

  /**
   * As {@link #fromClassPath(String)}, with the class loader that finds the file.
   *
   * @throws ScriptException if there is no such file
   */
  public static Definition fromClassPath(String resource, ClassLoader loader) {
    String path = ScriptFiles.path(resource);
    return new Definition(
        ScriptFiles.baseName(path), "classpath:" + path, ScriptFiles.read(path, loader), null);
  }

  /**
   * Starts the definition of a function, for servers from version 7.
   *
   * @param library the text of its library, which starts with {@code #!lua name=…}
   * @param function the name under which the library registers it
   * @throws ScriptException if the text does not name the library
   */
  public static Definition function(String library, String function) {
    return function(library, function, "its text");
  }

  /**
   * Starts the definition of a function whose library is a file on the class path; see {@link
   * #function}.
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

  /** Returns the name in meters and messages. */
  public String name() {
    return definition.name;
  }

  /** Returns the text; for a function, the text of its library. */
  public String text() {
    return definition.text;
  }

  /**
   * Returns the SHA-1 digest by which the server knows the text: 40 lower-case hexadecimal digits.
   */
  public String sha1() {
    return sha1;
  }

  /** Returns whether the script only reads, so that it can run on replicas and be sent again. */
  public boolean isReadOnly() {
    return definition.readOnly;
  }

  /** Returns whether this is a function of a library instead of a script. */
  public boolean isFunction() {
    return definition.function != null;
  }

  /** Returns the type of the result. */
  public ResultType<T> result() {
    return result;
  }

  /** Returns the name by which the server knows a function; null for a script. */
  public @Nullable String function() {
    return definition.function;
  }

  /** Returns the source of the text, for messages. */
  public String source() {
    return definition.source;
  }

  /** Returns whether every call carries the text; see {@link Definition#inOrder}. */
  public boolean isInOrder() {
    return definition.inOrder;
  }

  /**
   * Checks the number of keys and arguments of a call.
   *
   * @throws IllegalArgumentException if there are too few or too many
   */
  public void checkCounts(int keys, int args) {
    definition.keys.check(definition.name, "keys", keys);
    definition.args.check(definition.name, "arguments", args);
  }

  /**
   * Checks the number of arguments of a scatter. Its slices can have fewer keys than a call needs.
   *
   * @throws IllegalArgumentException if there are too few or too many
   */
  public void checkArgs(int args) {
    definition.args.check(definition.name, "arguments", args);
  }

  /** The allowed number of keys or arguments. */
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

  /** A script whose result type is not declared yet. Not thread-safe. */
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

    /** Sets the name in meters and messages; by default the name of the file or the function. */
    public Definition named(String name) {
      this.name = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Declares that the script only reads. It is sent as EVALSHA_RO or FCALL_RO (servers from
     * version 7), so the server rejects writes. It goes to replicas where the client's {@code
     * ReadFrom} says so, and is sent again after a lost connection. A function must be registered
     * with the flag {@code no-writes}.
     */
    public Definition readOnly() {
      this.readOnly = true;
      return this;
    }

    /**
     * Sends the whole text with every call, as EVAL. The server then never replies that it does not
     * know the script, so a call never runs behind later commands of its caller. The cost is the
     * bytes of the text, and their digest on the server.
     */
    public Definition inOrder() {
      this.inOrder = true;
      return this;
    }

    /** Requires exactly this many keys; by default any number. */
    public Definition keys(int count) {
      this.keys = exactly("keys", count);
      return this;
    }

    /** Requires at least this many keys. */
    public Definition atLeastKeys(int count) {
      this.keys = new Count(exactly("keys", count).min, Integer.MAX_VALUE);
      return this;
    }

    /** Requires exactly this many arguments besides the keys; by default any number. */
    public Definition args(int count) {
      this.args = exactly("args", count);
      return this;
    }

    /** Requires a number of arguments within bounds, besides the keys. */
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

    /** Creates the script with its type of result. The definition can be used again. */
    @CheckReturnValue
    public <T extends @Nullable Object> Script<T> returns(ResultType<T> type) {
      return new Script<>(new Definition(this), Objects.requireNonNull(type, "type"));
    }
  }
}
