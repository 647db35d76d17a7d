// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a JSON text into Lua values. A NUL, or the end of the data, ends the text. */
final class JsonDecoder {

  /** Names as error messages show them. */
  private enum Token {
    T_OBJ_BEGIN,
    T_OBJ_END,
    T_ARR_BEGIN,
    T_ARR_END,
    T_STRING,
    T_NUMBER,
    T_BOOLEAN,
    T_NULL,
    T_COLON,
    T_COMMA,
    T_END,
    T_ERROR
  }

  /** What C's strtod takes from the start of a text. */
  private static final Pattern NUMBER =
      Pattern.compile(
          "[+-]?(?:(?<hex>0[xX](?:[0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)(?:[pP][+-]?\\d+)?)"
              + "|(?<decimal>(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?)"
              + "|(?<inf>[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)"
              + "|(?<nan>[nN][aA][nN](?:\\([0-9a-zA-Z_]*\\))?))");

  private static final int OBJECT = -1;

  private final LuaState state;
  private final CjsonSettings settings;
  private final byte[] data;
  private final String text;
  private int position;

  /** What is open: for each depth the elements stored so far, or {@link #OBJECT}. */
  private int[] containers = new int[16];

  private int depth;

  private Token token = Token.T_END;
  private int tokenAt;
  private String error = "";
  private byte[] string = new byte[0];
  private double number;
  private boolean bool;

  JsonDecoder(LuaState state, CjsonSettings settings, byte[] data) {
    this.state = state;
    this.settings = settings;
    this.data = data;
    this.text = new String(data, StandardCharsets.ISO_8859_1);
  }

  /** Pushes the value. */
  void decode(long l) {
    LuaRaise.positionedIf(
        data.length >= 2 && (data[0] == 0 || data[1] == 0),
        "JSON parser does not support UTF-16 or UTF-32");
    next();
    value(l);
    next();
    if (token != Token.T_END) {
      throw unexpected("the end");
    }
  }

  private LuaRaise unexpected(String expected) {
    String found = token == Token.T_ERROR ? error : token.name();
    return LuaRaise.positioned(
        "Expected " + expected + " but found " + found + " at character " + (tokenAt + 1));
  }

  /** Pushes the value that begins with the current token. */
  private void value(long l) {
    int outside = depth;
    do {
      if (begin(l)) {
        while (depth > outside && endsWithElement(l)) {
          depth--;
        }
      }
    } while (depth > outside);
  }

  /** Pushes a scalar or an empty container, or opens a container up to its first element. */
  private boolean begin(long l) {
    switch (token) {
      case T_STRING -> state.push(l, string);
      case T_NUMBER -> state.api.lua_pushnumber(l, number);
      case T_BOOLEAN -> state.api.lua_pushboolean(l, bool ? 1 : 0);
      case T_NULL -> state.api.lua_pushlightuserdata(l, 0);
      case T_OBJ_BEGIN -> {
        return open(l, Token.T_OBJ_END, OBJECT);
      }
      case T_ARR_BEGIN -> {
        return open(l, Token.T_ARR_END, 0);
      }
      default -> throw unexpected("value");
    }
    return true;
  }

  private boolean open(long l, Token end, int kind) {
    depth++;
    LuaRaise.positionedIf(
        depth > settings.decodeMaxDepth || !state.reserve(l, 4),
        "Found too many nested data structures (%s) at character %s",
        depth,
        position);
    state.api.lua_createtable(l, 0, 0);
    next();
    if (token == end) {
      depth--;
      return true;
    }
    if (depth >= containers.length) {
      containers = Arrays.copyOf(containers, 2 * depth);
    }
    containers[depth] = kind;
    if (kind == OBJECT) {
      key(l);
    }
    return false;
  }

  private void key(long l) {
    if (token != Token.T_STRING) {
      throw unexpected("object key string");
    }
    state.push(l, string);
    next();
    if (token != Token.T_COLON) {
      throw unexpected("colon");
    }
    next();
  }

  /** Stores the element on top in its container; returns whether the container ends with it. */
  private boolean endsWithElement(long l) {
    boolean object = containers[depth] == OBJECT;
    if (object) {
      state.api.lua_rawset(l, -3);
    } else {
      state.api.lua_rawseti(l, -2, ++containers[depth]);
    }
    next();
    if (token == (object ? Token.T_OBJ_END : Token.T_ARR_END)) {
      return true;
    }
    if (token != Token.T_COMMA) {
      throw unexpected(object ? "comma or object end" : "comma or array end");
    }
    next();
    if (object) {
      key(l);
    }
    return false;
  }

  private int at(int index) {
    return index < data.length ? data[index] & 0xff : 0;
  }

  private void next() {
    int c = at(position);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      c = at(++position);
    }
    tokenAt = position;
    switch (c) {
      case '{' -> single(Token.T_OBJ_BEGIN);
      case '}' -> single(Token.T_OBJ_END);
      case '[' -> single(Token.T_ARR_BEGIN);
      case ']' -> single(Token.T_ARR_END);
      case ',' -> single(Token.T_COMMA);
      case ':' -> single(Token.T_COLON);
      case 0 -> token = Token.T_END;
      case '"' -> string();
      case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> {
        if (!settings.decodeInvalidNumbers && isInvalidNumber()) {
          fail("invalid number");
        } else {
          number();
        }
      }
      default -> word(c);
    }
  }

  private void single(Token kind) {
    token = kind;
    position++;
  }

  private void fail(String reason) {
    token = Token.T_ERROR;
    tokenAt = position;
    error = reason;
  }

  private void word(int first) {
    if (text.startsWith("true", position)) {
      token = Token.T_BOOLEAN;
      bool = true;
      position += 4;
    } else if (text.startsWith("false", position)) {
      token = Token.T_BOOLEAN;
      bool = false;
      position += 5;
    } else if (text.startsWith("null", position)) {
      token = Token.T_NULL;
      position += 4;
    } else if ("fiInNt+".indexOf(first) >= 0
        && settings.decodeInvalidNumbers
        && isInvalidNumber()) {
      number();
    } else {
      fail("invalid token");
    }
  }

  /** Numbers strtod takes and JSON does not have. */
  private boolean isInvalidNumber() {
    int p = position;
    if (at(p) == '+') {
      return true;
    }
    if (at(p) == '-') {
      p++;
    }
    if (at(p) == '0') {
      int second = at(p + 1);
      return (second | 0x20) == 'x' || (second >= '0' && second <= '9');
    }
    return at(p) > '9'
        && (text.regionMatches(true, p, "inf", 0, 3) || text.regionMatches(true, p, "nan", 0, 3));
  }

  private void number() {
    Matcher matcher = NUMBER.matcher(text).region(position, text.length());
    if (!matcher.lookingAt()) {
      fail("invalid number");
      return;
    }
    token = Token.T_NUMBER;
    position = matcher.end();
    String matched = matcher.group();
    double magnitude;
    if (matcher.group("hex") != null) {
      String hex = matcher.group("hex");
      magnitude = Double.parseDouble(hex.matches(".*[pP].*") ? hex : hex + "p0");
    } else if (matcher.group("decimal") != null) {
      magnitude = Double.parseDouble(matcher.group("decimal"));
    } else {
      magnitude = matcher.group("inf") != null ? Double.POSITIVE_INFINITY : Double.NaN;
    }
    number = matched.charAt(0) == '-' ? -magnitude : magnitude;
  }

  private void string() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    position++;
    for (int c = at(position); c != '"'; c = at(position)) {
      if (c == 0) {
        fail("unexpected end of string");
        return;
      }
      if (c == '\\') {
        if (at(position + 1) == 'u') {
          if (!unicode(out)) {
            fail("invalid unicode escape code");
            return;
          }
          continue;
        }
        c = unescaped(at(position + 1));
        if (c == 0) {
          fail("invalid escape code");
          return;
        }
        position++;
      }
      out.write(c);
      position++;
    }
    position++;
    token = Token.T_STRING;
    string = out.toByteArray();
  }

  private static int unescaped(int c) {
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'f' -> '\f';
      case 'r' -> '\r';
      default -> 0;
    };
  }

  /** Takes one escape, or the two of a surrogate pair. */
  private boolean unicode(ByteArrayOutputStream out) {
    int code = hex(position + 2);
    int length = 6;
    if (code < 0) {
      return false;
    }
    if (Character.isSurrogate((char) code)) {
      int low = at(position + 6) == '\\' && at(position + 7) == 'u' ? hex(position + 8) : -1;
      if (low < 0 || !Character.isSurrogatePair((char) code, (char) low)) {
        return false;
      }
      code = Character.toCodePoint((char) code, (char) low);
      length = 12;
    }
    out.writeBytes(new String(Character.toChars(code)).getBytes(StandardCharsets.UTF_8));
    position += length;
    return true;
  }

  private int hex(int from) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(at(from + i), 16);
      if (digit < 0 || at(from + i) > 'f') {
        return -1;
      }
      value = value << 4 | digit;
    }
    return value;
  }
}
