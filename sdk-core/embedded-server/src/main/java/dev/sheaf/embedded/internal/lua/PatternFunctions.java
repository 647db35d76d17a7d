// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.function.LongConsumer;

/** {@code string.find, match, gmatch} and {@code gsub}, with limits on the cost of patterns. */
final class PatternFunctions {
  private static final int MAX_NESTED_SUBSTITUTIONS = 20;
  private static final int MAX_PATTERN_REPETITIONS = 1000;

  private final LuaState state;
  private final LuaFunctions internal;
  private final LongConsumer watch;
  private int substitutions;

  /**
   * Creates the functions.
   *
   * @param watch called now and then while a search runs; may throw to end it
   */
  PatternFunctions(LuaState state, LuaFunctions internal, LongConsumer watch) {
    this.state = state;
    this.internal = internal;
    this.watch = watch;
  }

  /**
   * Runs gsub, and limits how deep replacement functions can call gsub again. Each level has a
   * buffer of 8 KiB on the thread's stack, and at Lua's own limit of 200 levels the JVM would
   * crash.
   */
  int substitute(long l) {
    check(l, PatternSteps.Search.ALL);
    int type = state.type(l, 3);
    if (type != LuaState.FUNCTION && type != LuaState.TABLE) {
      return internal.delegate(l, "gsub", true);
    }
    LuaRaise.positionedIf(substitutions == MAX_NESTED_SUBSTITUTIONS, "C stack overflow");
    substitutions++;
    state.traces = true;
    int arguments = state.top(l);
    internal.push(l, "passed");
    state.api.lua_insert(l, 1);
    internal.push(l, "gsub");
    state.api.lua_insert(l, 2);
    boolean succeeded = state.api.lua_pcall(l, arguments, LuaState.MULTIPLE_RESULTS, 1) == 0;
    substitutions--;
    if (succeeded) {
      return state.top(l) - 1;
    }
    if (state.type(l, -1) == LuaState.TABLE) {
      String raised = state.field(l, "raisedByGsub");
      if (raised != null) {
        throw LuaFunctions.named(raised, true);
      }
    }
    throw LuaRaise.onTop();
  }

  int match(long l, String how, PatternSteps.Search search) {
    boolean plain = how.equals("find") && state.api.lua_toboolean(l, 4) != 0;
    if (!plain) {
      check(l, search);
    }
    return internal.delegate(l, how, true);
  }

  private void check(long l, PatternSteps.Search search) {
    if (!state.isString(l, 1) || !state.isString(l, 2)) {
      return;
    }
    byte[] pattern = state.bytes(l, 2);
    checkRepetitions(pattern);
    long length = state.api.lua_objlen(l, 1);
    if (PatternSteps.mayTakeLong(pattern, length)) {
      int from = search == PatternSteps.Search.FIRST ? firstByte(l, length) : 0;
      PatternSteps.check(state.bytes(l, 1), pattern, from, search, () -> watch.accept(l));
    }
  }

  /** The index at which find and match start, given by their third argument. */
  private int firstByte(long l, long length) {
    if (!state.isNumber(l, 3)) {
      return 0;
    }
    int wanted = (int) LuaState.truncated(state.number(l, 3));
    long first = wanted < 0 ? length + wanted : wanted - 1L;
    return (int) Math.max(0, Math.min(length, first));
  }

  /** Limits repetitions, as each can hold a frame of the matcher on the thread's stack. */
  private static void checkRepetitions(byte[] pattern) {
    if (pattern.length <= MAX_PATTERN_REPETITIONS) {
      return;
    }
    int repetitions = 0;
    for (byte b : pattern) {
      repetitions += PatternSteps.isRepetition(b) ? 1 : 0;
    }
    LuaRaise.positionedIf(
        repetitions > MAX_PATTERN_REPETITIONS,
        "pattern too complex (%s of ?*+-, %s are allowed)",
        repetitions,
        MAX_PATTERN_REPETITIONS);
  }
}
