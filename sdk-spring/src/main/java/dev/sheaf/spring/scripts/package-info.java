/** Interfaces of Lua scripts as beans. */
@NullMarked
package dev.sheaf.spring.scripts;

import org.jspecify.annotations.NullMarked;
