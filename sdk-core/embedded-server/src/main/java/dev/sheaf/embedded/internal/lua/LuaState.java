// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import party.iroiro.luajava.JFunction;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.lua51.Lua51;
import party.iroiro.luajava.lua51.Lua51Natives;

/**
 * A native Lua state, with strings of any bytes.
 *
 * <p>Outside a protected call, only functions that cannot raise a Lua error are used: an error
 * raised below a Java frame would end the JVM. So tables are read and written raw, and script code
 * runs through {@link #call}.
 *
 * <p>Methods take the state to work on, because a coroutine has its own.
 */
final class LuaState implements AutoCloseable {

  static final int REGISTRY = -10_000;
  static final int MULTIPLE_RESULTS = -1;

  static final int NIL = 0;
  static final int BOOLEAN = 1;
  static final int NUMBER = 3;
  static final int STRING = 4;
  static final int TABLE = 5;
  static final int FUNCTION = 6;

  /** The longest string that Java can receive, in bytes: the most a reply can hold (512 MiB). */
  static final int MAX_STRING_BYTES = 512 * 1024 * 1024;

  private static final int KEPT_BUFFER_BYTES = 1024 * 1024;

  /** The longest string that is tried as text first. Longer ones are cheaper through a buffer. */
  private static final int MAX_TEXT_BYTES = 256;

  final Lua51Natives api;
  final long main;
  private final Lua51 lua;
  private final boolean readsText;

  /** Whether code has run that may have changed tables that scripts share. */
  boolean traces;

  private final IdentityHashMap<Lua, Boolean> coroutines = new IdentityHashMap<>();
  private @Nullable Lua last;
  private ByteBuffer buffer = direct(4096);

  LuaState() {
    try {
      lua = new Lua51();
    } catch (LinkageError e) {
      throw new IllegalStateException(
          ("the native Lua 5.1 library cannot be loaded on %s %s; put"
                  + " party.iroiro.luajava:lua51-platform:natives-desktop on the class path (Linux"
                  + " with glibc, macOS and Windows are covered)")
              .formatted(System.getProperty("os.name"), System.getProperty("os.arch")),
          e);
    }
    api = (Lua51Natives) lua.getLuaNatives();
    main = lua.getPointer();
    readsText = marksOtherBytes();
  }

  /** Whether this JVM decodes each byte above ASCII to a character above ASCII. */
  private boolean marksOtherBytes() {
    boolean marks = true;
    for (int b = 0x80; b <= 0xff; b++) {
      push(main, new byte[] {(byte) b});
      marks = marks && plainText(main, -1, 1) == null;
      pop(main, 1);
    }
    return marks;
  }

  @Override
  public void close() {
    releaseCoroutines();
    lua.close();
  }

  /** Pushes a string: directly if it is plain ASCII, else through a generated chunk. */
  void push(long l, byte[] bytes) {
    if (isPlain(bytes)) {
      api.lua_pushstring(l, new String(bytes, StandardCharsets.ISO_8859_1));
    } else {
      run(l, LuaLiterals.returning(bytes, this::buffer));
    }
  }

  /** Pushes text with one char per byte. */
  void push(long l, String text) {
    push(l, text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Pushes text that must be ASCII without NUL. */
  void pushAscii(long l, String text) {
    api.lua_pushstring(l, text);
  }

  /** Pushes a table of elements: byte[], Long, or null, which becomes false. */
  void pushFlatTable(long l, List<?> elements) {
    run(l, LuaLiterals.returning(elements, this::buffer));
  }

  private void run(long l, ByteBuffer code) {
    int size = code.limit();
    if (api.luaJ_loadbuffer(l, code, size, "=") != 0 || api.lua_pcall(l, 0, 1, 0) != 0) {
      String reason = api.lua_tostring(l, -1);
      api.lua_settop(l, -2);
      throw LuaRaise.plain("not enough memory to pass a value to a script: " + reason);
    }
    if (buffer.capacity() > KEPT_BUFFER_BYTES) {
      buffer = direct(4096);
    }
  }

  private ByteBuffer buffer(int bytes) {
    if (buffer.capacity() < bytes) {
      buffer = direct(Math.max(bytes, Math.min(2 * buffer.capacity(), KEPT_BUFFER_BYTES)));
    }
    buffer.clear();
    return buffer;
  }

  private static ByteBuffer direct(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  private static boolean isPlain(byte[] bytes) {
    for (byte b : bytes) {
      if (b <= 0) {
        return false;
      }
    }
    return true;
  }

  /** Copies the string at the index. A number there is converted in place, as Lua does. */
  byte[] bytes(long l, int index) {
    long length = api.lua_objlen(l, index);
    if (length <= MAX_TEXT_BYTES && readsText) {
      byte[] text = plainText(l, index, length);
      if (text != null) {
        return text;
      }
    }
    if (length > MAX_STRING_BYTES) {
      throw LuaRaise.plain(
          "string of %s bytes exceeds the %s bytes that may leave a script"
              .formatted(length, MAX_STRING_BYTES));
    }
    ByteBuffer view = (ByteBuffer) api.luaJ_todirectbuffer(l, index);
    if (view == null) {
      throw new IllegalArgumentException("no string at index " + index);
    }
    byte[] bytes = new byte[view.remaining()];
    view.get(bytes);
    return bytes;
  }

  /**
   * Returns a string if it is ASCII without NUL, else null. The binding decodes only those
   * correctly. Other text comes out shorter than its bytes, or with characters above ASCII.
   */
  private byte @Nullable [] plainText(long l, int index, long length) {
    String text = api.lua_tostring(l, index);
    if (text == null || text.length() != length) {
      return null;
    }
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return isPlain(bytes) ? bytes : null;
  }

  /** Returns the string at the index, one char per byte. */
  String text(long l, int index) {
    return new String(bytes(l, index), StandardCharsets.ISO_8859_1);
  }

  int type(long l, int index) {
    return api.lua_type(l, index);
  }

  int top(long l) {
    return api.lua_gettop(l);
  }

  void pop(long l, int count) {
    api.lua_settop(l, -count - 1);
  }

  boolean isNumber(long l, int index) {
    return api.lua_isnumber(l, index) != 0;
  }

  /** Whether the value is a string, or a number, which Lua accepts as one. */
  boolean isString(long l, int index) {
    int type = api.lua_type(l, index);
    return type == STRING || type == NUMBER;
  }

  boolean reserve(long l, int slots) {
    return api.lua_checkstack(l, slots) != 0;
  }

  /** Pushes {@code table[key]}, read raw, of the table at the index. */
  void rawGet(long l, int index, String key) {
    pushAscii(l, key);
    api.lua_rawget(l, belowOne(index));
  }

  /** Pops a value and stores it raw in the table at the index, which is counted before the pop. */
  void rawSet(long l, int index, String key) {
    pushAscii(l, key);
    api.lua_insert(l, -2);
    api.lua_rawset(l, belowOne(index));
  }

  /** The index of the same value after one more was pushed. */
  private static int belowOne(int index) {
    return index < 0 ? index - 1 : index;
  }

  /** Returns a field of the table on top if it is a string, else null. */
  @Nullable String field(long l, String name) {
    rawGet(l, -1, name);
    String text = type(l, -1) == STRING ? text(l, -1) : null;
    pop(l, 1);
    return text;
  }

  /** Pops a value and returns a reference for {@link #pushRef}. */
  int ref(long l) {
    return api.luaL_ref(l, REGISTRY);
  }

  void pushRef(long l, int ref) {
    api.lua_rawgeti(l, REGISTRY, ref);
  }

  void unref(int ref) {
    api.luaL_unref(main, REGISTRY, ref);
  }

  void pushFunction(long l, JFunction function) {
    api.luaJ_pushfunction(l, function);
  }

  /** Calls a function in protected mode. False leaves the error in place of the results. */
  boolean call(long l, int arguments, int results) {
    return api.lua_pcall(l, arguments, results, 0) == 0;
  }

  /** Compiles source text, never bytecode. False leaves the compiler's message on the stack. */
  boolean load(long l, byte[] source, int from, String chunkName) {
    // Lua takes a chunk that begins with ESC for bytecode, which could break out of the VM. With a
    // blank before it, it is a syntax error, as in Redis.
    boolean bytecode = source.length > from && source[from] == 0x1b;
    int length = source.length - from;
    ByteBuffer text = buffer(length + 1);
    if (bytecode) {
      text.put((byte) ' ');
    }
    text.put(source, from, length).flip();
    // The compiler does not protect the chunk's name from the garbage collector. The stack does.
    pushAscii(l, chunkName);
    boolean loaded = api.luaJ_loadbuffer(l, text, text.limit(), chunkName) == 0;
    api.lua_remove(l, -2);
    return loaded && (!VarargCheck.concerns(source, from) || isSafeToCall(l));
  }

  /** Whether calling the function on top is safe. False leaves the reason in its place. */
  boolean isSafeToCall(long l) {
    String wrong = VarargCheck.find((ByteBuffer) api.luaJ_dumptobuffer(l));
    if (wrong != null) {
      pop(l, 1);
      pushAscii(l, wrong);
    }
    return wrong == null;
  }

  /** The error of an argument that has the wrong type. */
  LuaRaise typeError(long l, int argument, String expected) {
    return LuaRaise.argument(
        argument, expected + " expected, got " + api.luaL_typename(l, argument));
  }

  /** Returns an argument that is a number, or text that contains one. */
  double number(long l, int argument) {
    if (!isNumber(l, argument)) {
      throw typeError(l, argument, "number");
    }
    return api.lua_tonumber(l, argument);
  }

  /** Converts like a C cast to a 64-bit integer on common hardware. */
  static long truncated(double value) {
    return value >= 0x1p63 || Double.isNaN(value) ? Long.MIN_VALUE : (long) value;
  }

  /** Returns an argument that is a string, or a number as Lua formats it. */
  byte[] string(long l, int argument) {
    if (!isString(l, argument)) {
      throw typeError(l, argument, "string");
    }
    return bytes(l, argument);
  }

  /** Records a coroutine that calls Java. The binding keeps it alive until it is closed. */
  void entered(Lua coroutine) {
    if (coroutine != last) {
      last = coroutine;
      coroutines.put(coroutine, true);
    }
  }

  /** Releases all recorded coroutines. */
  void releaseCoroutines() {
    if (last != null) {
      coroutines.keySet().forEach(Lua::close);
      coroutines.clear();
      last = null;
    }
  }

  /** The caller's position as Lua puts it before messages, such as {@code user_script:1: }. */
  String where(long l) {
    api.luaL_where(l, 1);
    String where = text(l, -1);
    pop(l, 1);
    return where;
  }
}
