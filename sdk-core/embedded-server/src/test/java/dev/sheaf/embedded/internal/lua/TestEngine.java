// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.protocol.Edition;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An engine with a host, which compiles each script once, as a server does. */
final class TestEngine implements AutoCloseable {
  final LuaEngine lua = new LuaEngine(Edition.REDIS_7_0);
  private final LuaHost host;
  private final Map<String, CompiledScript> compiled = new HashMap<>();

  TestEngine(LuaHost host) {
    this.host = host;
  }

  @Override
  public void close() {
    lua.close();
  }

  CompiledScript compile(byte[] source) {
    return lua.compile(source, Bytes.digest("SHA-1", source));
  }

  RecordedReply run(byte[] source, List<byte[]> keys, List<byte[]> args) {
    String digest = Bytes.digest("SHA-1", source);
    CompiledScript script = compiled.get(digest);
    if (script == null) {
      script = compile(source);
      compiled.put(digest, script);
    }
    return lua.run(script, keys, args, host);
  }

  /** The reply in Java's types; a {@link RecordedReply.Text} for each text of a kind of its own. */
  @Nullable Object eval(byte[] source, List<byte[]> keys, List<byte[]> args) {
    return value(run(source, keys, args).parts());
  }

  /** Backwards, so that the elements are there where their head is reached, the first on top. */
  private static @Nullable Object value(List<@Nullable Object> parts) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = parts.size() - 1; i >= 0; i--) {
      Object part = parts.get(i);
      if (part instanceof RecordedReply.Head head) {
        int size = values.size();
        List<@Nullable Object> top = values.subList(size - head.elements, size);
        List<@Nullable Object> items = new ArrayList<>(top);
        top.clear();
        Collections.reverse(items);
        part = head.kind == '*' ? items : head.kind == '~' ? new HashSet<>(items) : map(items);
      }
      values.add(part);
    }
    return values.get(0);
  }

  private static Map<@Nullable Object, @Nullable Object> map(List<@Nullable Object> items) {
    Map<@Nullable Object, @Nullable Object> map = new HashMap<>();
    for (int i = 0; i < items.size(); i += 2) {
      map.put(items.get(i), items.get(i + 1));
    }
    return map;
  }
}
