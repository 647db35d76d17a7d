// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Bytes;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Splits a line into words, with "double" quotes (and their escapes) and 'single' ones. */
public final class InlineWords {
  private final byte[] line;
  private int at;

  private InlineWords(byte[] line) {
    this.line = line;
  }

  /** As in Redis, a line is a C string: it ends at its first NUL. */
  public static byte[][] split(byte[] line) throws ProtocolException {
    InlineWords words = new InlineWords(Bytes.latin(Bytes.untilNul(line)));
    List<byte[]> found = new ArrayList<>();
    while (words.skipBlanks()) {
      found.add(words.word());
    }
    return found.toArray(new byte[0][]);
  }

  private boolean skipBlanks() {
    while (at < line.length && isBlank(line[at])) {
      at++;
    }
    return at < line.length;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || (b >= 9 && b <= 13);
  }

  private byte[] word() throws ProtocolException {
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    while (at < line.length && !isBlank(line[at])) {
      byte b = line[at++];
      if (b == '"') {
        doubleQuoted(word);
      } else if (b == '\'') {
        singleQuoted(word);
      } else {
        word.write(b);
      }
    }
    return word.toByteArray();
  }

  private void doubleQuoted(ByteArrayOutputStream word) throws ProtocolException {
    while (at < line.length && line[at] != '"') {
      byte b = line[at++];
      if (b != '\\' || at == line.length) {
        word.write(b);
      } else if (line[at] == 'x' && at + 2 < line.length && hex(at + 1) >= 0 && hex(at + 2) >= 0) {
        word.write(hex(at + 1) * 16 + hex(at + 2));
        at += 3;
      } else {
        word.write(escaped(line[at++]));
      }
    }
    closeQuote();
  }

  private void singleQuoted(ByteArrayOutputStream word) throws ProtocolException {
    while (at < line.length && line[at] != '\'') {
      if (line[at] == '\\' && at + 1 < line.length && line[at + 1] == '\'') {
        at++;
      }
      word.write(line[at++]);
    }
    closeQuote();
  }

  /** A closing quote must be followed by a space or the end. */
  private void closeQuote() throws ProtocolException {
    ProtocolException.when(
        at == line.length || (at + 1 < line.length && !isBlank(line[at + 1])),
        "unbalanced quotes in request");
    at++;
  }

  private int hex(int i) {
    return Character.digit(line[i], 16);
  }

  private static int escaped(byte b) {
    return switch (b) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'a' -> 7;
      default -> b;
    };
  }
}
