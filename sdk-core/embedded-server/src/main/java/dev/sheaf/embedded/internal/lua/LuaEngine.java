// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.Edition;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Lua 5.1 interpreter that runs scripts as a Redis 7.0 server does, with the same globals,
 * conversions and error texts.
 *
 * <p>Not thread-safe, but not tied to a thread either: any thread may use it, one at a time.
 * Concurrent use, and running a script from within a script, throw {@link IllegalStateException}.
 * Compiled scripts are kept until {@link #unload} or {@link #close}. Nothing else outlives a
 * script, except the sequence of math.random, as in Redis.
 *
 * <p>A script runs on the calling thread's stack. The JVM's default of 1 MiB is enough if little of
 * it is in use. A script that needs more ends with a Lua error.
 *
 * <p>Strings are bytes in both directions, without an encoding. Errors are {@link
 * CommandException}s with the error line of a server, one char per byte (ISO 8859-1).
 */
public final class LuaEngine implements AutoCloseable {

  /** Instructions between two checks whether a script must end: about 1 ms. */
  public static final int INSTRUCTIONS_PER_POLL = 100_000;

  /**
   * The most memory, in bytes, that Lua keeps after a script without a full collection. Lua itself
   * collects only when its memory has doubled, which is too much after large strings.
   */
  public static final int MAX_IDLE_BYTES = 16 * 1024 * 1024;

  /**
   * The most memory, in bytes, that a running script may hold: two of the longest strings of a
   * reply. It is checked every {@link #INSTRUCTIONS_PER_POLL} instructions, so a script can exceed
   * it for a moment.
   */
  public static final int MAX_SCRIPT_BYTES = 1024 * 1024 * 1024;

  private static final int HANDLER_INDEX = 1;
  private static final String CHUNK_NAME = "@user_script";
  private static final String LIBRARY_CHUNK_NAME = "@user_function";

  private final AtomicReference<@Nullable Thread> user = new AtomicReference<>();
  private final LuaState state;
  final RunLimits limits;
  private final LuaReplies replies;
  private final RedisLibrary redis;
  private final LuaSandbox sandbox;
  private final FunctionRegistration functions;
  private final int keysName;
  private final int argvName;

  private boolean closed;

  /**
   * Creates an engine with its own native state.
   *
   * @param edition the server product and version that scripts see
   * @throws IllegalStateException if the native library cannot be loaded on this platform
   */
  public LuaEngine(Edition edition) {
    this.state = new LuaState();
    try {
      this.replies = new LuaReplies(state, edition);
      this.redis = new RedisLibrary(state, replies, edition);
      this.limits = new RunLimits(state, () -> redis.host.interrupted());
      this.sandbox = new LuaSandbox(state, limits::reasonToEnd);
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
   * Compiles a script, without running it.
   *
   * @param sha1 its digest, 40 lowercase hexadecimal digits; not verified
   * @return the script, valid until {@link #unload}
   * @throws CommandException if it does not compile
   * @throws IllegalStateException if the engine is in use or closed
   */
  public CompiledScript compile(byte[] source, String sha1) {
    return using(
        () -> {
          ScriptHeader header = ScriptHeader.of(source);
          int function = function(source, header.length(), CHUNK_NAME, "script (new function)");
          return CompiledScript.of(sha1, source, header.flags(), function);
        });
  }

  /**
   * Runs a script or a function of a library.
   *
   * @param keys KEYS of a script, or the first argument of a function
   * @param args ARGV of a script, or the second argument of a function
   * @return the reply; tables in it can be nested thousands of levels deep
   * @throws CommandException if it fails, or returns an error
   * @throws IllegalStateException if the engine is in use or closed
   * @throws RuntimeException if the host threw it
   */
  public RecordedReply run(LuaCode code, List<byte[]> keys, List<byte[]> args, LuaHost host) {
    return using(
        () -> {
          redis.begin(host);
          return call(code.name(), push(code, keys, args));
        });
  }

  /**
   * Runs the code of a library, which registers its functions.
   *
   * @param source the code, with a first line that is skipped
   * @return the functions, valid until {@link #unload}
   * @throws CommandException if the code does not compile, fails, or registers nothing
   * @throws IllegalStateException if the engine is in use or closed
   */
  public List<LuaFunction> load(byte[] source) {
    List<LuaFunction> loaded = using(() -> registeredBy(source));
    if (loaded.isEmpty()) {
      throw new CommandException("ERR No functions registered");
    }
    return loaded;
  }

  private List<LuaFunction> registeredBy(byte[] source) {
    state.traces = true;
    List<LuaFunction> registered = functions.begin();
    try {
      runLibrary(source);
      return registered;
    } catch (RuntimeException | Error e) {
      forget(registered);
      throw e;
    } finally {
      functions.end();
    }
  }

  private void runLibrary(byte[] source) {
    long l = state.main;
    int firstLine = Bytes.text(source).indexOf('\n');
    int function = function(source, firstLine, LIBRARY_CHUNK_NAME, "function");
    sandbox.internal.run(l, "beginLoading");
    try {
      sandbox.internal.push(l, "handler");
      state.pushRef(l, function);
      limits.begin(true);
      if (state.api.lua_pcall(l, 0, 0, HANDLER_INDEX) != 0) {
        String reason = RedisErrors.asLine(RedisErrors.reason(state, l));
        throw new CommandException("ERR Error registering functions: " + reason);
      }
    } finally {
      limits.end();
      sandbox.internal.run(l, "endLoading");
      state.unref(function);
    }
  }

  /** Compiles a chunk in the environment of scripts, and returns a reference to its function. */
  private int function(byte[] source, int from, String chunkName, String what) {
    long l = state.main;
    if (!state.load(l, source, from, chunkName)) {
      throw new CommandException(
          "ERR Error compiling " + what + ": " + RedisErrors.asLine(state.text(l, -1)));
    }
    // Scripts cannot change the environment of a function, so it is set once.
    state.pushRef(l, sandbox.globalsSeen);
    state.api.lua_setfenv(l, -2);
    return state.ref(l);
  }

  /** Releases scripts and functions. */
  public void unload(Collection<? extends LuaCode> loaded) {
    using(() -> forget(loaded));
  }

  private boolean forget(Collection<? extends LuaCode> loaded) {
    loaded.forEach(function -> state.unref(function.reference()));
    return true;
  }

  /** Returns the memory that Lua holds, in bytes. */
  public long memoryBytes() {
    return using(limits::held);
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

  /** Pushes the error handler, the code and its arguments; returns the number of arguments. */
  private int push(LuaCode code, List<byte[]> keys, List<byte[]> args) {
    long l = state.main;
    if (code instanceof CompiledScript script) {
      state.traces = script.mayLeaveTraces();
      sandbox.internal.push(l, "handler");
      if (script.mayReadKeys()) {
        setGlobal(l, keysName, keys);
      }
      if (script.mayReadArguments()) {
        setGlobal(l, argvName, args);
      }
      state.pushRef(l, script.reference());
      return 0;
    }
    state.traces = true;
    sandbox.internal.run(l, "endLoading");
    sandbox.internal.push(l, "handler");
    state.pushRef(l, code.reference());
    replies.pushStrings(l, keys);
    replies.pushStrings(l, args);
    return 2;
  }

  /** Calls the code above the error handler, and converts its result to a reply. */
  private RecordedReply call(String name, int arguments) {
    long l = state.main;
    limits.begin(false);
    boolean succeeded = state.api.lua_pcall(l, arguments, 1, HANDLER_INDEX) == 0;
    limits.end();
    redis.rethrowFailure();
    if (!succeeded) {
      state.traces = true;
      throw new CommandException(RedisErrors.ofFailure(state, l, name));
    }
    RecordedReply reply = replies.pop(l, redis.respVersion());
    String error = reply.errorLine();
    if (error != null) {
      throw new CommandException(error);
    }
    return reply;
  }

  private void setGlobal(long l, int name, List<byte[]> strings) {
    state.pushRef(l, sandbox.globals);
    state.pushRef(l, name);
    replies.pushStrings(l, strings);
    state.api.lua_rawset(l, -3);
    // Whatever stays on the stack reduces how deep a reply can be nested.
    state.pop(l, 1);
  }

  /** Uses the native state exclusively. */
  private <T> T using(Supplier<T> work) {
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
      throw new CommandException("ERR " + e.text());
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
    redis.end();
    state.releaseCoroutines();
    if (limits.takeEnded()) {
      sandbox.internal.run(state.main, "pollSeldom");
    }
    if (state.traces) {
      state.traces = false;
      sandbox.internal.run(state.main, "sweep");
    }
    limits.shrink();
  }
}
