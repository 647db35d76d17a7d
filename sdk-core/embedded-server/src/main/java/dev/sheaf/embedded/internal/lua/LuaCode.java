// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an engine can run, until it is told to {@link LuaEngine#unload} it. */
public interface LuaCode {
  /** What error texts call it. */
  String name();

  /** Of a script's first line, or of a function; null for a script without such a line. */
  @Nullable Set<String> flags();

  /** What the engine knows it by. */
  int reference();
}
