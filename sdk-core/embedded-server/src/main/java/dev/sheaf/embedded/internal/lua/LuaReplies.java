// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.protocol.Edition;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Converts command replies to Lua values, and the results of scripts to replies. */
final class LuaReplies {
  private static final String TOO_DEEP = "ERR reached lua stack limit";

  /** From this size, one generated chunk is cheaper than a native call per element. */
  private static final int CHUNK_FROM_ELEMENTS = 4;

  /**
   * The total size of the strings in a chunk. Larger lists are pushed one by one, to avoid a second
   * copy of everything.
   */
  private static final long CHUNK_MAX_BYTES = 16 * 1024 * 1024;

  /** The most stack slots that one level of a reply needs. */
  private static final int SLOTS_IN = 6;

  /** The most stack slots that one level of a result needs. */
  private static final int SLOTS_OUT = 4;

  private final LuaState state;
  private final Edition edition;

  LuaReplies(LuaState state, Edition edition) {
    this.state = state;
    this.edition = edition;
  }

  /** Pushes a reply as a Lua value. */
  void push(long l, RecordedReply reply) {
    push(l, reply.parts(), 0, reply.protocol() == 3);
  }

  /** Pushes a table of strings. */
  void pushStrings(long l, List<byte[]> strings) {
    pushList(l, strings, 0, strings.size(), false);
  }

  /** Pushes the value that starts at a part, and returns the index after it. */
  private int push(long l, List<?> parts, int at, boolean resp3) {
    Object part = parts.get(at);
    // A native function always has a free slot for a scalar. Lists reserve their own.
    if (part instanceof byte[] bytes) {
      state.push(l, bytes);
      return at + 1;
    }
    if (!state.reserve(l, SLOTS_IN)) {
      throw LuaRaise.plain("stack overflow (reply nested too deep)");
    }
    if (part instanceof RecordedReply.Head head) {
      if (head.kind == '|') {
        // Attributes precede the reply. Scripts do not see them.
        return push(l, parts, next(parts, at), resp3);
      }
      return head.kind == '%' || head.kind == '~'
          ? pushKeyed(l, parts, at + 1, head)
          : pushList(l, parts, at + 1, head.elements, resp3);
    }
    if (part == null && resp3) {
      state.api.lua_pushnil(l);
    } else if (part == null || part instanceof Boolean) {
      state.api.lua_pushboolean(l, Boolean.TRUE.equals(part) ? 1 : 0);
    } else if (part instanceof Long number) {
      state.api.lua_pushnumber(l, number.doubleValue());
    } else if (part instanceof RecordedReply.Text text) {
      pushText(l, text);
    } else {
      state.api.lua_createtable(l, 0, 1);
      state.api.lua_pushnumber(l, (Double) part);
      state.rawSet(l, -2, "double");
    }
    return at + 1;
  }

  /** The index after the value that begins at a part. */
  private static int next(List<?> parts, int at) {
    int next = at + 1;
    if (parts.get(at) instanceof RecordedReply.Head head) {
      for (int i = 0; i < head.elements; i++) {
        next = next(parts, next);
      }
    }
    return next;
  }

  private int pushList(long l, List<?> parts, int from, int count, boolean resp3) {
    List<?> elements = parts.subList(from, from + count);
    if (isFlat(elements, resp3)) {
      state.pushFlatTable(l, elements);
      return from + count;
    }
    state.api.lua_createtable(l, count, 0);
    int at = from;
    for (int i = 1; i <= count; i++) {
      at = push(l, parts, at, resp3);
      state.api.lua_rawseti(l, -2, i);
    }
    return at;
  }

  private static boolean isFlat(List<?> elements, boolean resp3) {
    if (elements.size() < CHUNK_FROM_ELEMENTS || elements.size() > LuaLiterals.MAX_CONSTANTS) {
      return false;
    }
    long bytes = 0;
    for (Object element : elements) {
      if (element instanceof byte[] string) {
        bytes += string.length;
      } else if (!(element instanceof Long) && (element != null || resp3)) {
        return false;
      }
    }
    return bytes <= CHUNK_MAX_BYTES;
  }

  /**
   * Pushes a map or set. Its table grows with each entry, as in Redis: the iteration order depends
   * on that.
   */
  private int pushKeyed(long l, List<?> parts, int from, RecordedReply.Head head) {
    boolean map = head.kind == '%';
    state.api.lua_createtable(l, 0, 1);
    state.api.lua_createtable(l, 0, 0);
    int at = from;
    for (int i = 0; i < head.elements; i += map ? 2 : 1) {
      if (parts.get(at) == null) {
        // A table cannot have a nil key, and Lua's error would unwind through Java frames.
        throw new IllegalArgumentException("a map or set of a reply cannot hold nil as a key");
      }
      at = push(l, parts, at, true);
      if (map) {
        at = push(l, parts, at, true);
      } else {
        state.api.lua_pushboolean(l, 1);
      }
      state.api.lua_rawset(l, -3);
    }
    state.rawSet(l, -2, map ? "map" : "set");
    return at;
  }

  private void pushText(long l, RecordedReply.Text text) {
    switch (text.kind()) {
      case '+' -> pushField(l, "ok", text.text());
      case '(' -> pushField(l, "big_number", text.text());
      case '-' -> {
        RedisErrors.pushReply(state, l, text.text());
        state.api.lua_pushboolean(l, 1);
        state.rawSet(l, -2, "ignore_error_stats_update");
      }
      default -> {
        state.api.lua_createtable(l, 0, 1);
        pushField(l, "string", text.text());
        state.push(l, "txt");
        state.rawSet(l, -2, "format");
        state.rawSet(l, -2, "verbatim_string");
      }
    }
  }

  private void pushField(long l, String name, String text) {
    state.api.lua_createtable(l, 0, 1);
    state.push(l, text);
    state.rawSet(l, -2, name);
  }

  /**
   * Pops the value on top and converts it to a reply. Not recursive: tables can be nested as deep
   * as Lua's stack allows, thousands of levels. A cycle ends there, with an error in its place.
   *
   * @param respVersion the protocol that the script chose
   */
  RecordedReply pop(long l, int respVersion) {
    RecordedReply out = new RecordedReply(3, edition);
    int type = state.type(l, -1);
    if (type != LuaState.TABLE) {
      popScalar(l, type, out, respVersion);
      return out;
    }
    // The tables being read. Each stays on the stack below its element. For a map or set, the table
    // around it and the current key stay there too.
    Deque<RecordedReply.Head> open = new ArrayDeque<>(1);
    popElement(l, out, open, respVersion);
    while (!open.isEmpty()) {
      RecordedReply.Head level = open.getLast();
      if (pushNext(l, level)) {
        level.elements++;
        popElement(l, out, open, respVersion);
      } else {
        state.pop(l, 2);
        open.removeLast();
      }
    }
    return out;
  }

  /** Pushes the next element of a level. At its end, returns false with another value on top. */
  private boolean pushNext(long l, RecordedReply.Head level) {
    if (level.kind == '*') {
      state.api.lua_rawgeti(l, -1, level.elements + 1);
      return state.type(l, -1) != LuaState.NIL;
    }
    if (level.kind == '%' && level.elements % 2 == 1) {
      // The key was read from a copy, so its value is on top.
      return true;
    }
    if (state.api.lua_next(l, -2) == 0) {
      return false;
    }
    state.pop(l, level.kind == '~' ? 1 : 0);
    state.api.lua_pushvalue(l, level.kind == '~' ? -1 : -2);
    return true;
  }

  /** Records the value on top, and pops it unless it is a table whose elements follow. */
  private void popElement(
      long l, RecordedReply out, Deque<RecordedReply.Head> open, int respVersion) {
    if (!state.reserve(l, SLOTS_OUT)) {
      state.pop(l, 1);
      out.error(TOO_DEEP);
      return;
    }
    int type = state.type(l, -1);
    if (type != LuaState.TABLE) {
      popScalar(l, type, out, respVersion);
    } else if (recordsTyped(l, out)) {
      state.pop(l, 2);
    } else {
      boolean map = has(l, "map", LuaState.TABLE);
      boolean set = !map && has(l, "set", LuaState.TABLE);
      if (map || set) {
        state.api.lua_pushnil(l);
      }
      open.add(out.head(map ? '%' : set ? '~' : '*', 0));
    }
  }

  private void popScalar(long l, int type, RecordedReply out, int respVersion) {
    boolean yes = type == LuaState.BOOLEAN && state.api.lua_toboolean(l, -1) != 0;
    if (type == LuaState.STRING) {
      out.bulk(state.bytes(l, -1));
    } else if (type == LuaState.NUMBER) {
      out.integer(LuaState.truncated(state.api.lua_tonumber(l, -1)));
    } else if (type == LuaState.BOOLEAN && respVersion == 3) {
      out.bool(yes);
    } else if (yes) {
      out.integer(1);
    } else {
      out.nil();
    }
    state.pop(l, 1);
  }

  /** Records the table on top if it names its type; then one of its fields is left on top. */
  private boolean recordsTyped(long l, RecordedReply out) {
    if (has(l, "err", LuaState.STRING)) {
      out.error(RedisErrors.asLine(state.text(l, -1)));
    } else if (has(l, "ok", LuaState.STRING)) {
      out.status(Bytes.oneLine(Bytes.untilNul(state.text(l, -1))));
    } else if (has(l, "double", LuaState.NUMBER)) {
      out.number(state.api.lua_tonumber(l, -1));
    } else if (has(l, "big_number", LuaState.STRING)) {
      out.bigNumber(Bytes.oneLine(state.text(l, -1)));
    } else if (has(l, "verbatim_string", LuaState.TABLE)) {
      return recordsVerbatim(l, out);
    } else {
      return false;
    }
    return true;
  }

  /** Like {@link #recordsTyped} for a verbatim string on top; pops it if it is incomplete. */
  private boolean recordsVerbatim(long l, RecordedReply out) {
    if (state.field(l, "format") != null && has(l, "string", LuaState.STRING)) {
      out.verbatim(state.bytes(l, -1));
      state.pop(l, 1);
      return true;
    }
    state.pop(l, 1);
    return false;
  }

  /** Pushes a field of the table on top if it has the type. */
  private boolean has(long l, String name, int type) {
    state.rawGet(l, -1, name);
    boolean found = state.type(l, -1) == type;
    state.pop(l, found ? 0 : 1);
    return found;
  }
}
