// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/**
 * A status reply, such as {@code OK}.
 *
 * @param text the text, one char per byte (ISO 8859-1), so that no byte is lost
 */
public record LuaStatus(String text) {}
