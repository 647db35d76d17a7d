// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/**
 * A RESP3 verbatim string.
 *
 * @param format three characters, such as {@code txt}
 * @param text the content; not copied
 */
public record LuaVerbatim(String format, byte[] text) {}
