// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.lua.LuaBigNumber;
import dev.sheaf.embedded.internal.lua.LuaError;
import dev.sheaf.embedded.internal.lua.LuaStatus;
import dev.sheaf.embedded.internal.lua.LuaVerbatim;
import dev.sheaf.embedded.internal.protocol.Edition;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects a reply as values, for a script; and writes such values as a reply. */
final class ValueReply implements Reply {

  private static final class Open {
    final char kind;
    final int wanted;
    final List<@Nullable Object> items = new ArrayList<>();

    Open(char kind, int wanted) {
      this.kind = kind;
      this.wanted = wanted;
    }

    Object close() {
      return switch (kind) {
        case '~' -> new LinkedHashSet<>(items);
        case '%' -> {
          Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
          for (int i = 0; i < items.size(); i += 2) {
            map.put(items.get(i), items.get(i + 1));
          }
          yield map;
        }
        default -> items;
      };
    }
  }

  private final int protocol;
  private final Edition edition;
  // Most replies are one value.
  private @Nullable ArrayDeque<Open> open;
  private @Nullable Object result;

  ValueReply(int protocol, Edition edition) {
    this.protocol = protocol;
    this.edition = edition;
  }

  @Nullable Object result() {
    return result;
  }

  private void add(@Nullable Object value) {
    Object closed = value;
    while (true) {
      Open top = open == null ? null : open.peek();
      if (open == null || top == null) {
        result = closed;
        return;
      }
      top.items.add(closed);
      if (top.items.size() < top.wanted) {
        return;
      }
      open.pop();
      closed = top.close();
    }
  }

  @Override
  public void open(char kind, int size) {
    int wanted = kind == '%' ? 2 * size : size;
    Open aggregate = new Open(protocol == 3 ? kind : '*', wanted);
    if (wanted == 0) {
      add(aggregate.close());
    } else {
      if (open == null) {
        open = new ArrayDeque<>();
      }
      open.push(aggregate);
    }
  }

  @Override
  public int protocol() {
    return protocol;
  }

  @Override
  public void status(String text) {
    add(new LuaStatus(text));
  }

  @Override
  public void error(String line) {
    add(new LuaError(line));
  }

  @Override
  public void integer(long number) {
    add(number);
  }

  @Override
  public void bulk(byte[] bytes) {
    add(bytes);
  }

  @Override
  public void nil() {
    add(null);
  }

  @Override
  public void nilArray() {
    add(null);
  }

  @Override
  public void number(double number) {
    add(protocol == 3 ? (Object) number : Bytes.latin(edition.number(number)));
  }

  @Override
  public void decimal(String digits) {
    add(protocol == 3 ? (Object) Double.valueOf(digits) : Bytes.latin(digits));
  }

  @Override
  public void bool(boolean yes) {
    add(protocol == 3 ? (Object) yes : (Object) (yes ? 1L : 0L));
  }

  @Override
  public void verbatim(byte[] text) {
    add(protocol == 3 ? new LuaVerbatim("txt", text) : text);
  }

  @Override
  public void bigNumber(String digits) {
    add(protocol == 3 ? new LuaBigNumber(digits) : Bytes.latin(digits));
  }

  /**
   * Writes what a script, or a test in the server's place, has answered. Not by recursion: a table
   * that contains itself comes back nested thousands deep.
   */
  static void write(Reply out, @Nullable Object value) {
    Deque<Iterator<?>> open = new ArrayDeque<>();
    writeHead(out, value, open);
    while (!open.isEmpty()) {
      Iterator<?> items = open.getLast();
      if (items.hasNext()) {
        writeHead(out, items.next(), open);
      } else {
        open.removeLast();
      }
    }
  }

  /** Writes a value, or the header of a collection whose items are still to be written. */
  private static void writeHead(Reply out, @Nullable Object value, Deque<Iterator<?>> open) {
    if (value instanceof List<?> list) {
      out.array(list.size());
      open.add(list.iterator());
    } else if (value instanceof Set<?> set) {
      out.set(set.size());
      open.add(set.iterator());
    } else if (value instanceof Map<?, ?> map) {
      out.map(map.size());
      List<@Nullable Object> items = new ArrayList<>(2 * map.size());
      map.forEach(
          (key, item) -> {
            items.add(key);
            items.add(item);
          });
      open.add(items.iterator());
    } else {
      writeScalar(out, value);
    }
  }

  private static void writeScalar(Reply out, @Nullable Object value) {
    if (value == null) {
      out.nil();
    } else if (value instanceof Number || value instanceof String || value instanceof byte[]) {
      out.value(value);
    } else if (value instanceof LuaStatus status) {
      out.status(oneLine(status.text()));
    } else if (value instanceof LuaError error) {
      out.error(error.text());
    } else if (value instanceof Boolean yes) {
      out.bool(yes);
    } else if (value instanceof LuaBigNumber big) {
      out.bigNumber(oneLine(big.digits()));
    } else if (value instanceof LuaVerbatim text) {
      out.verbatim(text.text());
    } else {
      throw new IllegalStateException("there is no reply for a " + value.getClass().getName());
    }
  }

  private static String oneLine(String text) {
    return text.replace('\r', ' ').replace('\n', ' ');
  }
}
