// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.Set;

/**
 * A function a library registered with an engine.
 *
 * @param name letters, digits and underscores
 * @param description empty without one
 * @param flags as in a script's first line
 * @param reference what the engine knows it by
 */
public record LuaFunction(String name, byte[] description, Set<String> flags, int reference) {}
