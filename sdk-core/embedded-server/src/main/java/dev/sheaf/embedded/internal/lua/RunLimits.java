// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The limits of a running script: time, memory, and the host's request to end it. */
final class RunLimits {
  private static final String KILLED = "Script killed by user with SCRIPT KILL...";
  private static final String LOADING_TIMEOUT = "FUNCTION LOAD timeout";
  private static final String HOLDS_TOO_MUCH =
      "Script ended: it holds more than MAX_SCRIPT_BYTES = "
          + LuaEngine.MAX_SCRIPT_BYTES
          + " bytes";

  /** How long the code of a library may run; the limit of Redis. */
  private static final long MAX_LOADING_NANOS = 500_000_000;

  /** Enough to halve a buffer of 2 GiB down to {@link LuaEngine#MAX_IDLE_BYTES}. */
  private static final int MAX_COLLECTIONS = 8;

  private static final int BYTES_PER_KIB = 1024;
  private static final int GC_COLLECT = 2;
  private static final int GC_COUNT = 3;

  private final LuaState state;
  private final BooleanSupplier killed;

  /** {@link LuaEngine#MAX_SCRIPT_BYTES}, which tests on small machines lower. */
  int maxScriptBytes = LuaEngine.MAX_SCRIPT_BYTES;

  private boolean running;
  private boolean loading;
  private long startedAt;
  private @Nullable String reason;

  /**
   * Creates limits.
   *
   * @param killed returns whether the host wants the script to end
   */
  RunLimits(LuaState state, BooleanSupplier killed) {
    this.state = state;
    this.killed = killed;
  }

  /** Called before the code of a script or library runs. */
  void begin(boolean library) {
    running = true;
    loading = library;
    startedAt = library ? System.nanoTime() : 0;
  }

  /** Called after it. The engine's own functions run under the same hook, without limits. */
  void end() {
    running = false;
  }

  /** Returns why the script must end, or null. A reason stays until {@link #takeEnded}. */
  @Nullable String reasonToEnd() {
    if (!running || reason != null) {
      return running ? reason : null;
    }
    if (holdsMoreThan(maxScriptBytes)) {
      reason = HOLDS_TOO_MUCH;
    } else if (loading && System.nanoTime() - startedAt > MAX_LOADING_NANOS) {
      reason = LOADING_TIMEOUT;
    } else if (killed.getAsBoolean()) {
      reason = loading ? LOADING_TIMEOUT : KILLED;
    }
    return reason;
  }

  /** Returns whether a script was ended, and forgets it. */
  boolean takeEnded() {
    boolean ended = reason != null;
    reason = null;
    return ended;
  }

  /** Returns the memory that Lua holds, in bytes. */
  long held() {
    return (long) state.api.lua_gc(state.main, GC_COUNT, 0) * BYTES_PER_KIB;
  }

  /** Whether Lua holds more bytes than that after a full collection. */
  private boolean holdsMoreThan(int bytes) {
    if (held() <= bytes) {
      return false;
    }
    state.api.lua_gc(state.main, GC_COLLECT, 0);
    return held() > bytes;
  }

  /** Frees memory after a script. Each collection halves the buffer of the longest string. */
  void shrink() {
    for (int i = 0; i < MAX_COLLECTIONS && holdsMoreThan(LuaEngine.MAX_IDLE_BYTES); i++) {
      // collected
    }
  }
}
