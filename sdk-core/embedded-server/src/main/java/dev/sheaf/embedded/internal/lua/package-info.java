/**
 * Lua 5.1 as a Redis server embeds it: scripts with {@code KEYS}, {@code ARGV}, the {@code redis}
 * table and its libraries, in a sandbox. Start at {@link
 * dev.sheaf.embedded.internal.lua.LuaEngine}; {@link dev.sheaf.embedded.internal.lua.ScriptEngine}
 * lets the server run without the native library.
 */
@NullMarked
package dev.sheaf.embedded.internal.lua;

import org.jspecify.annotations.NullMarked;
