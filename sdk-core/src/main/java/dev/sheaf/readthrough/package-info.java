/**
 * Reading through Redis to the source of the data; start with {@code Sheaf.readThrough}. {@link
 * dev.sheaf.readthrough.ReadThroughs} and {@link dev.sheaf.readthrough.RedisAccess} are for the
 * client itself, which connects them.
 */
@NullMarked
package dev.sheaf.readthrough;

import org.jspecify.annotations.NullMarked;
