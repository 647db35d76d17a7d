// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts in Lua 5.1 as a Redis 7.0 server does: the same interpreter, the same globals, the
 * same conversions and the same error texts.
 *
 * <p>An engine is used by one thread at a time, any thread; two at once, and a script started from
 * within a script, are an {@link IllegalStateException}. Compiled scripts are kept until {@link
 * #flush} or {@link #close}; nothing else outlives a script, save the sequence of math.random, as
 * in a server.
 *
 * <p>A script runs on the stack of the thread that calls. A JVM's default of 1 MiB is enough, with
 * little of it in use; what would need more ends in a Lua error.
 *
 * <p>Strings are bytes in both directions; no encoding is applied to them.
 */
public final class LuaEngine implements AutoCloseable {

  /** How many instructions run between two questions whether the script is to end: about 1 ms. */
  public static final int INSTRUCTIONS_PER_POLL = 100_000;

  /**
   * What Lua may hold once a script has ended, in bytes; above it all garbage is collected. Lua
   * collects by itself only when its memory has doubled, which large strings make a lot.
   */
  public static final int MAX_IDLE_BYTES = 16 * 1024 * 1024;

  /**
   * What a running script may hold, in bytes: two of the longest strings a reply can have. Looked
   * at every {@link #INSTRUCTIONS_PER_POLL} instructions, so that fewer can hold more for a moment.
   */
  public static final int MAX_SCRIPT_BYTES = 1024 * 1024 * 1024;

  private static final int HANDLER_INDEX = 1;
  private static final String CHUNK_NAME = "@user_script";
  private static final String LIBRARY_CHUNK_NAME = "@user_function";

  /** Where nothing runs a script. */
  private static final LuaHost NO_HOST =
      (command, readOnlyScript) -> new LuaError("ERR redis.call may only be used inside a script");

  private final LuaHost host;
  private final AtomicReference<@Nullable Thread> user = new AtomicReference<>();
  private final Map<String, CompiledScript> compiled = new HashMap<>();
  private final Coroutines coroutines = new Coroutines();
  private final LuaState state;
  private final RunLimits limits;
  private final ReplyWriter writer;
  private final ReplyReader reader;
  private final RedisLibrary redis;
  private final LuaSandbox sandbox;
  private final FunctionRegistration functions;
  private final int keysName;
  private final int argvName;

  private boolean sweeps;
  private boolean closed;

  /**
   * Creates an engine of its own native state.
   *
   * @throws IllegalStateException if the native library cannot be loaded on this platform
   */
  public LuaEngine(LuaHost host) {
    this(host, Edition.REDIS_7_0);
  }

  /** As the scripts of a server see it, with a host for each run. */
  public LuaEngine(Edition edition) {
    this(NO_HOST, edition);
  }

  private LuaEngine(LuaHost host, Edition edition) {
    this.host = Objects.requireNonNull(host, "host");
    this.state = new LuaState();
    try {
      this.writer = new ReplyWriter(state);
      this.reader = new ReplyReader(state);
      this.redis = new RedisLibrary(state, host, writer, edition);
      this.limits = new RunLimits(state, () -> redis.host.interrupted());
      this.sandbox = new LuaSandbox(state, coroutines, limits::reasonToEnd);
      this.functions = new FunctionRegistration(state);
      state.pushAscii(state.main, "KEYS");
      this.keysName = state.ref(state.main);
      state.pushAscii(state.main, "ARGV");
      this.argvName = state.ref(state.main);
      pushLibraries();
      sandbox.build(INSTRUCTIONS_PER_POLL);
    } catch (RuntimeException | Error e) {
      state.close();
      throw e;
    }
  }

  /**
   * Runs a script, compiling it if its digest is not known yet.
   *
   * @param source the script; not read if a script of that digest is compiled
   * @param sha1 its digest, 40 lowercase hexadecimal digits; not verified
   * @param keys what the script sees as KEYS
   * @param args what the script sees as ARGV
   * @param readOnly passed on to the host with each command
   * @return the reply, in the types of {@link LuaHost}. Tables may nest thousands of levels deep
   * @throws ScriptException if the script does not compile or fails
   * @throws IllegalStateException if the engine is in use or closed
   * @throws RuntimeException what the host threw
   */
  public @Nullable Object eval(
      byte[] source, String sha1, List<byte[]> keys, List<byte[]> args, boolean readOnly) {
    return using(() -> run(functionOf(source, sha1), sha1, keys, args, readOnly));
  }

  /** As {@link #eval(byte[], String, List, List, boolean)}, its commands going to another host. */
  public @Nullable Object eval(
      byte[] source, String sha1, List<byte[]> keys, List<byte[]> args, LuaHost other) {
    redis.host = other;
    try {
      return eval(source, sha1, keys, args, false);
    } finally {
      redis.host = host;
    }
  }

  /**
   * Compiles a script and keeps it, without running it.
   *
   * @throws ScriptException if it does not compile
   * @throws IllegalStateException if the engine is in use or closed
   */
  public void compile(byte[] source, String sha1) {
    using(() -> functionOf(source, sha1));
  }

  /**
   * Runs the code of a library, which registers its functions.
   *
   * @param source with its first line, which is not looked at
   * @return the functions, until {@link #unload}
   * @throws ScriptException if the code does not compile, fails, or registers nothing
   * @throws IllegalStateException if the engine is in use or closed
   */
  public List<LuaFunction> load(byte[] source) {
    List<LuaFunction> loaded = using(() -> registeredBy(source));
    ScriptException.when(loaded.isEmpty(), "ERR No functions registered");
    return loaded;
  }

  private List<LuaFunction> registeredBy(byte[] source) {
    sweeps = true;
    functions.begin();
    try {
      runLibrary(source);
    } catch (RuntimeException | Error e) {
      forget(functions.end());
      throw e;
    }
    return functions.end();
  }

  private void runLibrary(byte[] source) {
    long l = state.main;
    int firstLine = 0;
    while (firstLine < source.length && source[firstLine] != '\n') {
      firstLine++;
    }
    if (!state.load(l, source, firstLine, LIBRARY_CHUNK_NAME)) {
      throw new ScriptException(
          "ERR Error compiling function: " + RedisErrors.asLine(state.text(l, -1)));
    }
    redis.begin(false);
    int function = state.ref(l);
    sandbox.internal.run(l, "beginLoading");
    try {
      sandbox.internal.push(l, "handler");
      int handler = state.top(l);
      state.pushRef(l, function);
      sandbox.pushGlobalsSeen(l);
      state.api.lua_setfenv(l, -2);
      limits.begin(true);
      boolean succeeded = state.api.lua_pcall(l, 0, 0, handler) == 0;
      limits.end();
      if (!succeeded) {
        String reason = RedisErrors.asLine(RedisErrors.reason(state, l));
        throw new ScriptException("ERR Error registering functions: " + reason);
      }
    } finally {
      limits.end();
      sandbox.internal.run(l, "endLoading");
      state.unref(function);
    }
  }

  /** Forgets functions. */
  public void unload(List<LuaFunction> loaded) {
    using(() -> forget(loaded));
  }

  private boolean forget(List<LuaFunction> loaded) {
    loaded.forEach(function -> state.unref(function.reference()));
    return true;
  }

  /**
   * Calls a function of a library.
   *
   * @return the reply, as {@link #eval}
   * @throws ScriptException if it fails
   * @throws IllegalStateException if the engine is in use or closed
   * @throws RuntimeException what the host threw
   */
  public @Nullable Object call(
      LuaFunction function, List<byte[]> keys, List<byte[]> args, LuaHost other) {
    redis.host = other;
    try {
      return using(() -> run(function, keys, args));
    } finally {
      redis.host = host;
    }
  }

  /** Forgets all compiled scripts. */
  public void flush() {
    using(
        () -> {
          compiled.values().forEach(script -> state.unref(script.reference()));
          compiled.clear();
          return true;
        });
  }

  /** Returns the memory Lua holds, in bytes. */
  public long memoryBytes() {
    return using(limits::held);
  }

  /**
   * Returns the flags a script names in a first line such as {@code #!lua flags=no-writes}; null
   * without such a line.
   *
   * @throws ScriptException if the line is not one a server accepts
   */
  public static @Nullable Set<String> flags(byte[] source) {
    ScriptHeader header = ScriptHeader.of(source);
    return header.length() == 0 ? null : header.flags();
  }

  /**
   * Frees the native state. Does nothing the second time.
   *
   * @throws IllegalStateException if a script is running
   */
  @Override
  public void close() {
    claim();
    try {
      if (!closed) {
        closed = true;
        coroutines.release();
        state.close();
      }
    } finally {
      user.set(null);
    }
  }

  private void pushLibraries() {
    long l = state.main;
    state.api.lua_createtable(l, 0, 8);
    redis.pushTable(sandbox);
    state.rawSet(l, -2, "redis");
    redis.pushLoadingTable(sandbox, functions);
    state.rawSet(l, -2, "loading");
    new BitLibrary(state).pushTable(sandbox);
    state.rawSet(l, -2, "bit");
  }

  private CompiledScript functionOf(byte[] source, String sha1) {
    CompiledScript known = compiled.get(sha1);
    if (known != null) {
      return known;
    }
    long l = state.main;
    if (!state.load(l, source, ScriptHeader.of(source).length(), CHUNK_NAME)) {
      throw new ScriptException(
          "ERR Error compiling script (new function): " + RedisErrors.asLine(state.text(l, -1)));
    }
    // Scripts cannot change the environment of a function, so it is set once.
    sandbox.pushGlobalsSeen(l);
    state.api.lua_setfenv(l, -2);
    CompiledScript script = CompiledScript.of(state.ref(l), source);
    compiled.put(sha1, script);
    return script;
  }

  private @Nullable Object run(
      CompiledScript script, String sha1, List<byte[]> keys, List<byte[]> args, boolean readOnly) {
    long l = state.main;
    sweeps = script.mayLeaveTraces();
    redis.begin(readOnly);
    sandbox.internal.push(l, "handler");
    if (script.mayReadKeys()) {
      setGlobal(l, keysName, keys);
    }
    if (script.mayReadArguments()) {
      setGlobal(l, argvName, args);
    }
    state.pushRef(l, script.reference());
    return call(l, 0, sha1);
  }

  private @Nullable Object run(LuaFunction function, List<byte[]> keys, List<byte[]> args) {
    long l = state.main;
    sweeps = true;
    redis.begin(false);
    sandbox.internal.run(l, "endLoading");
    sandbox.internal.push(l, "handler");
    state.pushRef(l, function.reference());
    writer.pushStrings(l, keys);
    writer.pushStrings(l, args);
    return call(l, 2, function.name());
  }

  /** Calls what is pushed above the handler, and turns what it returns into a reply. */
  private @Nullable Object call(long l, int arguments, String name) {
    limits.begin(false);
    boolean succeeded = state.api.lua_pcall(l, arguments, 1, HANDLER_INDEX) == 0;
    limits.end();
    redis.rethrowFailure();
    if (!succeeded) {
      sweeps = true;
      throw new ScriptException(RedisErrors.ofFailure(state, l, name));
    }
    return reader.read(l, redis.respVersion());
  }

  private void setGlobal(long l, int name, List<byte[]> strings) {
    sandbox.pushGlobals(l);
    state.pushRef(l, name);
    writer.pushStrings(l, strings);
    state.api.lua_rawset(l, -3);
    // How deep a reply may nest depends on what lies below it.
    state.pop(l, 1);
  }

  /** Another limit than {@link #MAX_SCRIPT_BYTES}, for tests on small machines. */
  void maxScriptBytes(int bytes) {
    limits.maxScriptBytes = bytes;
  }

  /** Does something with the state, alone. */
  private <T extends @Nullable Object> T using(Supplier<T> work) {
    claim();
    try {
      if (closed) {
        throw new IllegalStateException("the Lua engine is closed");
      }
      try {
        return work.get();
      } finally {
        tidy();
      }
    } catch (LuaRaise e) {
      throw new ScriptException("ERR " + e.text());
    } finally {
      user.set(null);
    }
  }

  private void claim() {
    Thread current = Thread.currentThread();
    if (!user.compareAndSet(null, current)) {
      Thread other = user.get();
      throw new IllegalStateException(
          other == current
              ? "a script cannot be run from within a script of the same Lua engine"
              : "the Lua engine is in use by thread "
                  + (other == null ? "?" : other.getName())
                  + "; give each thread its own, or one at a time");
    }
  }

  private void tidy() {
    state.api.lua_settop(state.main, 0);
    coroutines.release();
    if (limits.takeEnded()) {
      sandbox.internal.run(state.main, "pollSeldom");
    }
    if (sandbox.takeTraces() || sweeps) {
      sweeps = false;
      sandbox.internal.run(state.main, "sweep");
    }
    limits.shrink();
  }
}
