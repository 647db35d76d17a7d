/**
 * Lua scripts and functions on the server: {@link dev.sheaf.scripts.Script} says what they are,
 * {@code sheaf.scripts()} gives {@link dev.sheaf.scripts.Scripts}, where they are registered and
 * called.
 */
@NullMarked
package dev.sheaf.scripts;

import org.jspecify.annotations.NullMarked;
