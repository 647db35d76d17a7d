// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns a command's reply into what a script gets for it. */
final class ReplyWriter {

  /** From this size on, one chunk is cheaper than a call for each element. */
  private static final int CHUNK_FROM_ELEMENTS = 4;

  /** A chunk's strings together; larger ones go one by one, to need no second copy of all. */
  private static final long CHUNK_MAX_BYTES = 16 * 1024 * 1024;

  private final LuaState state;

  ReplyWriter(LuaState state) {
    this.state = state;
  }

  void push(long l, @Nullable Object reply, int respVersion) {
    // A native function has room for a scalar; in a list the list has made it.
    if (reply instanceof byte[] bytes) {
      state.push(l, bytes);
      return;
    }
    if (!state.reserve(l, 6)) {
      throw LuaRaise.plain("stack overflow (reply nested too deep)");
    }
    if (reply == null) {
      pushNull(l, respVersion);
    } else if (reply instanceof Long number) {
      state.api.lua_pushnumber(l, number.doubleValue());
    } else if (reply instanceof LuaStatus status) {
      pushField(l, "ok", status.text());
    } else if (reply instanceof LuaError error) {
      pushError(l, error);
    } else if (reply instanceof List<?> elements) {
      pushList(l, elements, respVersion);
    } else {
      pushResp3(l, reply, respVersion);
    }
  }

  /** Pushes a table of strings. */
  void pushStrings(long l, List<byte[]> strings) {
    pushList(l, strings, 2);
  }

  private void pushNull(long l, int respVersion) {
    if (respVersion == 3) {
      state.api.lua_pushnil(l);
    } else {
      state.api.lua_pushboolean(l, 0);
    }
  }

  private void pushError(long l, LuaError error) {
    RedisErrors.pushReply(state, l, error.text());
    state.api.lua_pushboolean(l, 1);
    state.rawSet(l, -2, "ignore_error_stats_update");
  }

  private void pushList(long l, List<?> elements, int respVersion) {
    if (isFlat(elements, respVersion)) {
      state.pushFlatTable(l, elements);
      return;
    }
    state.api.lua_createtable(l, elements.size(), 0);
    int i = 1;
    for (Object element : elements) {
      push(l, element, respVersion);
      state.api.lua_rawseti(l, -2, i++);
    }
  }

  private static boolean isFlat(List<?> elements, int respVersion) {
    if (elements.size() < CHUNK_FROM_ELEMENTS || elements.size() > LuaLiterals.MAX_CONSTANTS) {
      return false;
    }
    long bytes = 0;
    for (Object element : elements) {
      if (element instanceof byte[] string) {
        bytes += string.length;
      } else if (!(element instanceof Long) && (element != null || respVersion == 3)) {
        return false;
      }
    }
    return bytes <= CHUNK_MAX_BYTES;
  }

  private void pushResp3(long l, Object reply, int respVersion) {
    if (reply instanceof Boolean bool) {
      state.api.lua_pushboolean(l, bool ? 1 : 0);
    } else if (reply instanceof Double number) {
      state.api.lua_createtable(l, 0, 1);
      state.api.lua_pushnumber(l, number);
      state.rawSet(l, -2, "double");
    } else if (reply instanceof Map<?, ?> map) {
      pushMap(l, map, respVersion);
    } else if (reply instanceof Set<?> set) {
      pushSet(l, set, respVersion);
    } else if (reply instanceof LuaBigNumber number) {
      pushField(l, "big_number", number.digits());
    } else if (reply instanceof LuaVerbatim verbatim) {
      pushVerbatim(l, verbatim);
    } else {
      throw new IllegalArgumentException(
          "a host's reply cannot be a " + reply.getClass().getName() + "; see LuaHost");
    }
  }

  // Tables grow as in a server, by each entry: their order in a loop depends on it.

  private void pushMap(long l, Map<?, ?> map, int respVersion) {
    state.api.lua_createtable(l, 0, 1);
    state.api.lua_createtable(l, 0, 0);
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      pushKey(l, entry.getKey(), respVersion);
      push(l, entry.getValue(), respVersion);
      state.api.lua_rawset(l, -3);
    }
    state.rawSet(l, -2, "map");
  }

  /** Keeps out what Lua takes for no key: its error would pass through Java. */
  private void pushKey(long l, @Nullable Object key, int respVersion) {
    if (key == null) {
      throw new IllegalArgumentException("a host's map or set cannot hold null as a key");
    }
    push(l, key, respVersion);
  }

  private void pushSet(long l, Set<?> set, int respVersion) {
    state.api.lua_createtable(l, 0, 1);
    state.api.lua_createtable(l, 0, 0);
    for (Object member : set) {
      pushKey(l, member, respVersion);
      state.api.lua_pushboolean(l, 1);
      state.api.lua_rawset(l, -3);
    }
    state.rawSet(l, -2, "set");
  }

  private void pushVerbatim(long l, LuaVerbatim verbatim) {
    state.api.lua_createtable(l, 0, 1);
    state.api.lua_createtable(l, 0, 2);
    state.push(l, verbatim.text());
    state.rawSet(l, -2, "string");
    state.push(l, verbatim.format());
    state.rawSet(l, -2, "format");
    state.rawSet(l, -2, "verbatim_string");
  }

  private void pushField(long l, String name, String text) {
    state.api.lua_createtable(l, 0, 1);
    state.push(l, text);
    state.rawSet(l, -2, name);
  }
}
