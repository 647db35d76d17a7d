// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a script returns into a reply. Without recursion, as a table may be nested as deep as
 * Lua's stack reaches, thousands of levels: a cycle ends there with an error in its place.
 */
final class ReplyReader {

  private static final String TOO_DEEP = "ERR reached lua stack limit";

  /** Slots a level needs at most. */
  private static final int SLOTS = 4;

  private final LuaState state;

  ReplyReader(LuaState state) {
    this.state = state;
  }

  /** Pops the value on top. */
  @Nullable Object read(long l, int respVersion) {
    int type = state.type(l, -1);
    if (type != LuaState.TABLE) {
      return popScalar(l, type, respVersion);
    }
    Deque<Level> levels = new ArrayDeque<>();
    Object value = scalarOrLevel(l, respVersion);
    while (true) {
      if (value instanceof Level level) {
        levels.push(level);
      } else {
        Level parent = levels.peek();
        if (parent == null) {
          return value;
        }
        parent.items().add(value);
      }
      value = advance(l, levels.element(), respVersion);
      if (value == END) {
        value = levels.pop().result();
        // A finished level is handed to the one around it, or is the reply.
      }
    }
  }

  private static final Object END = new Object();

  private @Nullable Object advance(long l, Level level, int respVersion) {
    return !level.pushNext(state, l) ? END : scalarOrLevel(l, respVersion);
  }

  /** Pops the value on top unless it is a table to go through, which stays until its end. */
  private @Nullable Object scalarOrLevel(long l, int respVersion) {
    if (!state.reserve(l, SLOTS)) {
      state.pop(l, 1);
      return new LuaError(TOO_DEEP);
    }
    int type = state.type(l, -1);
    return type == LuaState.TABLE ? table(l) : popScalar(l, type, respVersion);
  }

  private @Nullable Object popScalar(long l, int type, int respVersion) {
    Object value =
        switch (type) {
          case LuaState.STRING -> state.bytes(l, -1);
          case LuaState.NUMBER -> LuaNumbers.truncated(state.api.lua_tonumber(l, -1));
          case LuaState.BOOLEAN -> bool(state.api.lua_toboolean(l, -1) != 0, respVersion);
          default -> null;
        };
    state.pop(l, 1);
    return value;
  }

  private static @Nullable Object bool(boolean value, int respVersion) {
    if (respVersion == 3) {
      return value;
    }
    return value ? (Object) 1L : null;
  }

  private Object table(long l) {
    if (field(l, "err") == LuaState.STRING) {
      return popped(l, 2, new LuaError(RedisErrors.asLine(state.text(l, -1))));
    }
    state.pop(l, 1);
    if (field(l, "ok") == LuaState.STRING) {
      return popped(l, 2, new LuaStatus(oneLine(Bytes.untilNul(state.text(l, -1)))));
    }
    state.pop(l, 1);
    if (field(l, "double") == LuaState.NUMBER) {
      return popped(l, 2, state.api.lua_tonumber(l, -1));
    }
    state.pop(l, 1);
    if (field(l, "big_number") == LuaState.STRING) {
      return popped(l, 2, new LuaBigNumber(oneLine(state.text(l, -1))));
    }
    state.pop(l, 1);
    if (field(l, "verbatim_string") == LuaState.TABLE) {
      LuaVerbatim verbatim = verbatim(l);
      if (verbatim != null) {
        return popped(l, 2, verbatim);
      }
    }
    state.pop(l, 1);
    return collection(l);
  }

  private Level collection(long l) {
    if (field(l, "map") == LuaState.TABLE) {
      state.api.lua_pushnil(l);
      return new Level(Shape.MAP, new ArrayList<>());
    }
    state.pop(l, 1);
    if (field(l, "set") == LuaState.TABLE) {
      state.api.lua_pushnil(l);
      return new Level(Shape.SET, new ArrayList<>());
    }
    state.pop(l, 1);
    return new Level(Shape.LIST, new ArrayList<>());
  }

  private @Nullable LuaVerbatim verbatim(long l) {
    LuaVerbatim verbatim = null;
    if (field(l, "format") == LuaState.STRING) {
      String format = state.text(l, -1);
      state.rawGet(l, -2, "string");
      if (state.type(l, -1) == LuaState.STRING) {
        verbatim = new LuaVerbatim((format + "   ").substring(0, 3), state.bytes(l, -1));
      }
      state.pop(l, 1);
    }
    state.pop(l, 1);
    return verbatim;
  }

  /** Pushes a field of the table on top and returns its type. */
  private int field(long l, String name) {
    state.rawGet(l, -1, name);
    return state.type(l, -1);
  }

  private Object popped(long l, int count, Object value) {
    state.pop(l, count);
    return value;
  }

  private static String oneLine(String text) {
    return text.replace('\r', ' ').replace('\n', ' ');
  }

  private enum Shape {
    LIST,
    MAP,
    SET
  }

  /**
   * A table being gone through; it stays on Lua's stack below its element. Of a map or set, the
   * outer table does as well, and the key reached.
   */
  private record Level(Shape shape, List<@Nullable Object> items) {

    /** Pushes the next element, or pops all this level put on the stack and returns false. */
    boolean pushNext(LuaState state, long l) {
      if (shape == Shape.MAP && items.size() % 2 == 1) {
        // The key was read from a copy; its value lies on top of it.
        return true;
      }
      if (shape == Shape.LIST) {
        state.api.lua_rawgeti(l, -1, items.size() + 1);
        if (state.type(l, -1) != LuaState.NIL) {
          return true;
        }
      } else if (state.api.lua_next(l, -2) != 0) {
        state.pop(l, shape == Shape.SET ? 1 : 0);
        state.api.lua_pushvalue(l, shape == Shape.SET ? -1 : -2);
        return true;
      }
      state.pop(l, 2);
      return false;
    }

    Object result() {
      return switch (shape) {
        case LIST -> items;
        case SET -> Collections.unmodifiableSet(new LinkedHashSet<>(items));
        case MAP -> {
          Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
          for (int i = 0; i < items.size(); i += 2) {
            map.put(items.get(i), items.get(i + 1));
          }
          yield Collections.unmodifiableMap(map);
        }
      };
    }
  }
}
