// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Code that an engine can run until {@link LuaEngine#unload}. */
public interface LuaCode {
  /** The name in error texts. */
  String name();

  /** The flags of a function or of a script's first line; null for a script without such a line. */
  @Nullable Set<String> flags();

  /** The engine's reference to it. */
  int reference();
}
