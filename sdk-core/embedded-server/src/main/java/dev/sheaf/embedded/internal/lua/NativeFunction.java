// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.function.LongToIntFunction;
import party.iroiro.luajava.JFunction;
import party.iroiro.luajava.Lua;

/**
 * A Java function that scripts cannot tell from one of Lua's C functions: in error positions,
 * {@code getfenv} and tail calls. Its body reads the arguments from the stack, and returns how many
 * results it left on top.
 */
final class NativeFunction implements JFunction {

  private static final int RAISE = -1;

  private final LuaState state;
  private final LongToIntFunction body;
  private final int callerNameRef;

  NativeFunction(LuaState state, int callerNameRef, LongToIntFunction body) {
    this.state = state;
    this.callerNameRef = callerNameRef;
    this.body = body;
  }

  @Override
  public int __call(Lua lua) {
    long l = lua.getPointer();
    if (l != state.main) {
      state.entered(lua);
    }
    try {
      return body.applyAsInt(l);
    } catch (LuaRaise e) {
      pushError(l, e);
    } catch (StackOverflowError e) {
      state.pushAscii(l, "stack overflow");
    } catch (OutOfMemoryError e) {
      state.pushAscii(l, "not enough memory");
    } catch (RuntimeException e) {
      // The binding would store it in a global that scripts can read.
      state.push(l, "internal error: " + e);
    }
    return RAISE;
  }

  private void pushError(long l, LuaRaise e) {
    switch (e.form) {
      case PLAIN -> state.push(l, e.text());
      case POSITIONED -> state.push(l, state.where(l) + e.text());
      case ARGUMENT -> state.push(l, state.where(l) + argumentError(l, e));
      case REDIS -> RedisErrors.push(state, l, e.text());
      case ON_TOP -> {}
    }
  }

  /** The first argument of a method is the object before the colon, which is not counted. */
  private String argumentError(long l, LuaRaise e) {
    String name = calledAs(l);
    int number = e.argument;
    if (name.startsWith(":")) {
      name = name.substring(1);
      number--;
      if (number == 0) {
        return "calling '" + name + "' on bad self (" + e.text() + ")";
      }
    }
    return "bad argument #" + number + " to '" + name + "' (" + e.text() + ")";
  }

  /** The name by which the caller called this function, as Lua reports it. */
  private String calledAs(long l) {
    state.reserve(l, 4);
    state.pushRef(l, callerNameRef);
    String name = "?";
    if (state.call(l, 0, 1) && state.type(l, -1) == LuaState.STRING) {
      name = state.text(l, -1);
    }
    state.pop(l, 1);
    return name;
  }
}
