// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.List;

/**
 * A library of functions that is loaded.
 *
 * @param name letters, digits and underscores
 * @param source its code with the first line
 * @param functions in the order they were registered
 */
public record FunctionLibrary(String name, byte[] source, List<LuaFunction> functions) {}
