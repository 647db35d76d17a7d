// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.HashValue;
import dev.sheaf.embedded.internal.data.ListValue;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SetValue;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import dev.sheaf.embedded.internal.data.StringValue;
import dev.sheaf.embedded.internal.data.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SORT and SORT_RO. */
final class SortCommand {
  private record Item(byte[] element, byte @Nullable [] weight, double score) {}

  private final Call call;
  private boolean descending;
  private boolean alphabetic;
  private boolean unsorted;
  private long offset;
  private long limit = -1;
  private byte @Nullable [] by;
  private byte @Nullable [] store;
  private final List<byte[]> gets = new ArrayList<>();

  private SortCommand(Call call) {
    this.call = call;
  }

  static void run(Call call) {
    SortCommand sort = new SortCommand(call);
    sort.parse();
    sort.execute();
  }

  private void parse() {
    boolean mayStore = call.command.isWrite();
    for (int i = 2; i < call.count(); i++) {
      String option = call.option(i);
      switch (option) {
        case "ASC", "DESC" -> descending = option.equals("DESC");
        case "ALPHA" -> alphabetic = true;
        case "LIMIT" -> {
          call.next(i + 1);
          offset = call.longArg(++i);
          limit = call.longArg(++i);
        }
        case "STORE" -> {
          Errors.syntaxIf(!mayStore);
          store = call.arg(call.next(i++));
        }
        case "BY" -> {
          by = call.arg(call.next(i++));
          unsorted = Bytes.text(by).indexOf('*') < 0;
          refuseInCluster("BY", !unsorted);
        }
        case "GET" -> {
          gets.add(call.arg(call.next(i++)));
          refuseInCluster("GET", true);
        }
        default -> throw Errors.syntax();
      }
    }
  }

  private void refuseInCluster(String option, boolean pattern) {
    Errors.refuseIf(
        pattern && call.node.nodes.isCluster(),
        "ERR %s option of SORT denied in cluster mode",
        option);
  }

  private void execute() {
    List<Item> items = new ArrayList<>();
    for (byte[] element : elements()) {
      items.add(item(element));
    }
    if (!unsorted) {
      items.sort(order());
    }
    int from = (int) Math.min(items.size(), Math.max(0, offset));
    int to = limit < 0 ? items.size() : (int) Math.min(items.size(), from + limit);
    List<byte @Nullable []> result = new ArrayList<>();
    for (Item item : items.subList(from, Math.max(from, to))) {
      project(item.element(), result);
    }
    if (store == null) {
      call.out.each(result, call.out::bulkOrNil);
    } else {
      store(store, result);
    }
  }

  private List<byte[]> elements() {
    Value value = call.value(call.arg(1));
    List<byte[]> elements = new ArrayList<>();
    if (value instanceof ListValue list) {
      for (int i = 0; i < list.size(); i++) {
        elements.add(list.get(i));
      }
    } else if (value instanceof SetValue set) {
      elements.addAll(set.list());
    } else if (value instanceof SortedSetValue sorted) {
      sorted.leaveCompact();
      ScoredMembers.Node node = descending && unsorted ? sorted.order.last() : sorted.order.first();
      while (node != null) {
        elements.add(node.member);
        node = descending && unsorted ? node.previous() : node.next();
      }
    } else if (value != null) {
      throw Errors.wrongType();
    }
    if (value instanceof SetValue && unsorted && (store != null || call.inScript)) {
      elements.sort(Arrays::compareUnsigned);
    }
    return elements;
  }

  private Item item(byte[] element) {
    if (unsorted) {
      return new Item(element, null, 0);
    }
    byte[] weight = by == null ? element : lookUp(by, element);
    if (alphabetic || weight == null) {
      return new Item(element, weight, 0);
    }
    Double score =
        Errors.found(number(weight), "ERR One or more scores can't be converted into double");
    return new Item(element, weight, score);
  }

  /** As C's strtod: up to a NUL, after spaces, and an empty text as zero. */
  private static @Nullable Double number(byte[] weight) {
    String text = Bytes.untilNul(weight);
    if (text.isEmpty()) {
      return 0.0;
    }
    int from = 0;
    while (from < text.length() && " \t\n\u000b\f\r".indexOf(text.charAt(from)) >= 0) {
      from++;
    }
    return Numbers.parseDouble(Bytes.latin(text.substring(from)));
  }

  private Comparator<Item> order() {
    Comparator<Item> order =
        alphabetic
            ? Comparator.comparing(
                Item::weight, Comparator.nullsFirst((a, b) -> Arrays.compareUnsigned(a, b)))
            : Comparator.comparingDouble(Item::score);
    if (!alphabetic || by != null) {
      order = order.thenComparing((a, b) -> Arrays.compareUnsigned(a.element(), b.element()));
    }
    return descending ? order.reversed() : order;
  }

  private void project(byte[] element, List<byte @Nullable []> result) {
    if (gets.isEmpty()) {
      result.add(element);
    }
    for (byte[] pattern : gets) {
      boolean self = pattern.length == 1 && pattern[0] == '#';
      result.add(self ? element : lookUp(pattern, element));
    }
  }

  /**
   * Returns the string that a pattern with one star refers to, or with {@code ->} the hash field.
   */
  private byte @Nullable [] lookUp(byte[] pattern, byte[] element) {
    String text = Bytes.text(pattern);
    int star = text.indexOf('*');
    if (star < 0) {
      return null;
    }
    int arrow = text.indexOf("->", star);
    boolean field = arrow >= 0 && arrow + 2 < text.length();
    String keyPattern = field ? text.substring(0, arrow) : text;
    byte[] key =
        Bytes.latin(
            keyPattern.substring(0, star) + Bytes.text(element) + keyPattern.substring(star + 1));
    Value value = call.db().get(key);
    if (field) {
      return value instanceof HashValue hash
          ? hash.fields.get(Bytes.latin(text.substring(arrow + 2)))
          : null;
    }
    return value instanceof StringValue string ? string.bytes() : null;
  }

  private void store(byte[] key, List<byte @Nullable []> result) {
    ListValue list = new ListValue();
    for (byte[] element : result) {
      list.addLast(element == null ? Bytes.EMPTY : element);
    }
    call.storeOrDelete(key, list, result.size());
  }
}
