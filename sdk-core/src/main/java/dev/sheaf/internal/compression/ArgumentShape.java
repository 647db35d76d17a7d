// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.internal.command.RespRequest;

/** Which arguments of a command are values. The name of the command has index 0. */
enum ArgumentShape {
  NONE("-") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      // Nothing is a value.
    }
  },
  SECOND("the 2nd") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      value(request, visitor, 2);
    }
  },
  THIRD("the 3rd") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      value(request, visitor, 3);
    }
  },
  /** SET: after the value come options, of which IFEQ and IFNE have a value to compare with. */
  SET("the 2nd; IFEQ and IFNE compare") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      value(request, visitor, 2);
      compared(request, visitor, 3);
    }
  },
  CONDITION("IFEQ and IFNE compare") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      compared(request, visitor, 2);
    }
  },
  FROM_SECOND("from the 2nd on") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      for (int i = 2; i < request.count(); i++) {
        visitor.value(i, 1);
      }
    }
  },
  /** MSET: key, value, key, value. */
  KEY_VALUE("every 2nd") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      for (int i = 2; i < request.count(); i += 2) {
        visitor.value(i, i - 1);
      }
    }
  },
  /** MSETEX: how many keys, then key, value, key, value, then options. */
  COUNTED_KEY_VALUE("the 3rd, 5th…, as many as the 1st says") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      int keys = request.decimal(1);
      for (int i = 0; i < keys && 3 + 2 * i < request.count(); i++) {
        visitor.value(3 + 2 * i, 2 + 2 * i);
      }
    }
  },
  /** HSET: key, field, value, field, value. */
  FIELD_VALUE("the 3rd, 5th…") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      for (int i = 3; i < request.count(); i += 2) {
        visitor.value(i, 1);
      }
    }
  },
  /** HSETEX: key, options, FIELDS, how many, field, value, field, value. */
  FIELDS("every 2nd after FIELDS and its number") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      int fields = request.indexOf("FIELDS", 2);
      if (fields > 0) {
        for (int i = fields + 3; i < request.count(); i += 2) {
          visitor.value(i, 1);
        }
      }
    }
  },
  /** HIMPORT SET: key, field set, values. */
  FIELD_SET("from the 4th on, after SET") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      if (request.is(1, "SET")) {
        for (int i = 4; i < request.count(); i++) {
          visitor.value(i, 2);
        }
      }
    }
  },
  /** LINSERT: key, BEFORE or AFTER, an element to find, an element. */
  INSERT("the 4th; the 3rd compares") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      if (request.count() > 4) {
        visitor.compared(3, 1);
        visitor.value(4, 1);
      }
    }
  },
  COMPARED_SECOND("the 2nd compares") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      if (request.count() > 2) {
        visitor.compared(2, 1);
      }
    }
  },
  COMPARED_THIRD("the 3rd compares") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      if (request.count() > 3) {
        visitor.compared(3, 1);
      }
    }
  },
  /** XADD: key, options, an entry's identifier, field, value, field, value. */
  STREAM_ENTRY("every 2nd after the identifier") {
    @Override
    void visit(RespRequest request, Visitor visitor) {
      int identifier = identifier(request);
      for (int i = identifier + 2; i < request.count(); i += 2) {
        visitor.value(i, 1);
      }
    }

    private int identifier(RespRequest request) {
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
  };

  private final String text;

  ArgumentShape(String text) {
    this.text = text;
  }

  /** How the guide describes it. */
  String text() {
    return text;
  }

  /** Calls back for each value among the arguments, in their order. */
  abstract void visit(RespRequest request, Visitor visitor);

  private static void value(RespRequest request, Visitor visitor, int index) {
    if (request.count() > index) {
      visitor.value(index, 1);
    }
  }

  private static void compared(RespRequest request, Visitor visitor, int from) {
    for (int i = from; i + 1 < request.count(); i++) {
      if (request.is(i, "IFEQ") || request.is(i, "IFNE")) {
        visitor.compared(i + 1, 1);
        return;
      }
    }
  }

  /** Receives values by their index and that of their key. */
  interface Visitor {
    /** A value that will be stored. */
    void value(int index, int keyIndex);

    /** A value that the server compares with what is stored. */
    void compared(int index, int keyIndex);
  }
}
