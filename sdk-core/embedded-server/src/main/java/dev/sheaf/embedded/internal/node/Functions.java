// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.lua.LuaFunction;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The function libraries of one node. */
public final class Functions {
  /**
   * A loaded library of functions.
   *
   * @param name letters, digits and underscores
   * @param source its code, including the first line
   * @param functions in order of registration
   */
  public record Library(String name, byte[] source, List<LuaFunction> functions) {}

  private final Map<String, Library> libraries = new LinkedHashMap<>();
  private final Map<String, LuaFunction> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  public Collection<Library> libraries() {
    return libraries.values();
  }

  public @Nullable Library library(String name) {
    return libraries.get(name);
  }

  public @Nullable LuaFunction function(String name) {
    return byName.get(name);
  }

  public int functionCount() {
    return byName.size();
  }

  public void add(Library library) {
    libraries.put(library.name(), library);
    library.functions().forEach(function -> byName.put(function.name(), function));
  }

  public @Nullable Library remove(String name) {
    Library gone = libraries.remove(name);
    if (gone != null) {
      gone.functions().forEach(function -> byName.remove(function.name()));
    }
    return gone;
  }
}
