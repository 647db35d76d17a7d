/**
 * Lua 5.1 as a Redis server embeds it: scripts with {@code KEYS}, {@code ARGV}, the {@code redis}
 * table and its libraries, in a sandbox; start with {@link dev.sheaf.embedded.lua.LuaEngine}.
 */
@NullMarked
package dev.sheaf.embedded.lua;

import org.jspecify.annotations.NullMarked;
