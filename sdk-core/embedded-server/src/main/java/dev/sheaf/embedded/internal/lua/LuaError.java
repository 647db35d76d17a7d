// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/**
 * An error reply, with its code and without the leading dash: {@code ERR syntax error}.
 *
 * @param text the text, one char per byte (ISO 8859-1), so that no byte is lost
 */
public record LuaError(String text) {}
