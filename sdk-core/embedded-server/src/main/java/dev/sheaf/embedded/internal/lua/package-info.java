/**
 * Lua 5.1 as a Redis server embeds it: scripts with {@code KEYS}, {@code ARGV}, the {@code redis}
 * table and its libraries, in a sandbox. Code that only works on Lua values is written in Lua, in
 * files beside these classes: the sandbox, cjson, cmsgpack and struct. Start at {@link
 * dev.sheaf.embedded.internal.lua.LuaEngine}.
 */
@NullMarked
package dev.sheaf.embedded.internal.lua;

import org.jspecify.annotations.NullMarked;
