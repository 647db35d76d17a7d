// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.lua.FunctionLibrary;
import dev.sheaf.embedded.internal.lua.LuaFunction;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The function libraries of one node. */
public final class Functions {
  private final Map<String, FunctionLibrary> libraries = new LinkedHashMap<>();
  private final Map<String, LuaFunction> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  public Collection<FunctionLibrary> libraries() {
    return libraries.values();
  }

  public @Nullable FunctionLibrary library(String name) {
    return libraries.get(name);
  }

  public @Nullable LuaFunction function(String name) {
    return byName.get(name);
  }

  public int functionCount() {
    return byName.size();
  }

  public void add(FunctionLibrary library) {
    libraries.put(library.name(), library);
    library.functions().forEach(function -> byName.put(function.name(), function));
  }

  public @Nullable FunctionLibrary remove(String name) {
    FunctionLibrary gone = libraries.remove(name);
    if (gone != null) {
      gone.functions().forEach(function -> byName.remove(function.name()));
    }
    return gone;
  }

  public void clear() {
    libraries.clear();
    byName.clear();
  }
}
