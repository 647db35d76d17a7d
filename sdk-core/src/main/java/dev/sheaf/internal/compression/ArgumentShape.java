// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.internal.command.RespRequest;
import java.util.function.BiConsumer;

/** Defines which arguments of a command are values. The command name has index 0. */
enum ArgumentShape {
  NONE("-", (request, visitor) -> {}),
  SECOND("the 2nd", (request, visitor) -> value(request, visitor, 2)),
  THIRD("the 3rd", (request, visitor) -> value(request, visitor, 3)),

  /** SET: options follow the value; IFEQ and IFNE have a value to compare with. */
  SET(
      "the 2nd; IFEQ and IFNE compare",
      (request, visitor) -> {
        value(request, visitor, 2);
        condition(request, visitor, 3);
      }),
  CONDITION("IFEQ and IFNE compare", (request, visitor) -> condition(request, visitor, 2)),
  FROM_SECOND("from the 2nd on", (request, visitor) -> values(request, visitor, 2, 1)),

  /** MSET: key, value, key, value. */
  KEY_VALUE("every 2nd", (request, visitor) -> keysAndValues(request, visitor, 1, request.count())),

  /** MSETEX: the number of keys, then key, value, key, value, then options. */
  COUNTED_KEY_VALUE(
      "the 3rd, 5th…, as many as the 1st says",
      (request, visitor) -> keysAndValues(request, visitor, 2, 2 + 2L * request.decimal(1))),

  /** HSET: key, field, value, field, value. */
  FIELD_VALUE("the 3rd, 5th…", (request, visitor) -> values(request, visitor, 3, 2)),

  /** HSETEX: key, options, FIELDS, the number of fields, field, value, field, value. */
  FIELDS(
      "every 2nd after FIELDS and its number",
      (request, visitor) -> {
        int fields = request.indexOf("FIELDS", 2);
        if (fields > 0) {
          values(request, visitor, fields + 3, 2);
        }
      }),

  /** HIMPORT SET: key, field set, values. */
  FIELD_SET(
      "from the 4th on, after SET",
      (request, visitor) -> {
        for (int i = 4; request.is(1, "SET") && i < request.count(); i++) {
          visitor.value(i, 2);
        }
      }),

  /** LINSERT: key, BEFORE or AFTER, an element to find, an element. */
  INSERT(
      "the 4th; the 3rd compares",
      (request, visitor) -> {
        compared(request, visitor, 3);
        value(request, visitor, 4);
      }),
  COMPARED_SECOND("the 2nd compares", (request, visitor) -> compared(request, visitor, 2)),
  COMPARED_THIRD("the 3rd compares", (request, visitor) -> compared(request, visitor, 3)),

  /** XADD: key, options, an entry's identifier, field, value, field, value. */
  STREAM_ENTRY(
      "every 2nd after the identifier",
      (request, visitor) -> values(request, visitor, entryIdentifier(request) + 2, 2));

  private final String text;
  private final BiConsumer<RespRequest, Visitor> visit;

  ArgumentShape(String text, BiConsumer<RespRequest, Visitor> visit) {
    this.text = text;
    this.visit = visit;
  }

  /** Returns the name in the guide. */
  String text() {
    return text;
  }

  /** Passes each value among the arguments to a visitor, in order. */
  void visit(RespRequest request, Visitor visitor) {
    visit.accept(request, visitor);
  }

  private static void value(RespRequest request, Visitor visitor, int index) {
    if (request.count() > index) {
      visitor.value(index, 1);
    }
  }

  private static void values(RespRequest request, Visitor visitor, int first, int step) {
    for (int i = first; i < request.count(); i += step) {
      visitor.value(i, 1);
    }
  }

  private static void keysAndValues(RespRequest request, Visitor visitor, int first, long end) {
    for (int key = first; key + 1 < Math.min(end, request.count()); key += 2) {
      visitor.value(key + 1, key);
    }
  }

  private static void compared(RespRequest request, Visitor visitor, int index) {
    if (request.count() > index) {
      visitor.compared(index, 1);
    }
  }

  private static void condition(RespRequest request, Visitor visitor, int from) {
    for (int i = from; i + 1 < request.count(); i++) {
      if (request.is(i, "IFEQ") || request.is(i, "IFNE")) {
        visitor.compared(i + 1, 1);
        return;
      }
    }
  }

  private static int entryIdentifier(RespRequest request) {
    int i = 2;
    while (i < request.count()) {
      if (request.is(i, "MAXLEN") || request.is(i, "MINID")) {
        i += request.is(i + 1, "=") || request.is(i + 1, "~") ? 3 : 2;
      } else if (request.is(i, "LIMIT") || request.is(i, "IDMPAUTO")) {
        i += 2;
      } else if (request.is(i, "IDMP")) {
        i += 3;
      } else if (request.is(i, "NOMKSTREAM")
          || request.is(i, "KEEPREF")
          || request.is(i, "DELREF")
          || request.is(i, "ACKED")) {
        i++;
      } else {
        return i;
      }
    }
    return i;
  }

  /** Receives values by their index and the index of their key. */
  interface Visitor {

    /** Called for a value to store. */
    void value(int index, int keyIndex);

    /** Called for a value that the server compares with the stored one. */
    void compared(int index, int keyIndex);
  }
}
