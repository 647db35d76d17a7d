// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Encodes the arguments of script calls. */
final class Arguments {

  private Arguments() {}

  /**
   * Encodes arguments to bytes.
   *
   * @throws NullPointerException if an argument is null
   * @throws IllegalArgumentException if an argument has an unsupported type
   */
  static byte[][] encode(String script, Object[] args) {
    byte[][] encoded = new byte[args.length][];
    for (int i = 0; i < args.length; i++) {
      int position = i;
      Object arg =
          Objects.requireNonNull(
              args[i], () -> "Argument " + (position + 1) + " of script '" + script + "' is null");
      encoded[i] = encode(script, i + 1, arg);
    }
    return encoded;
  }

  private static byte[] encode(String script, int position, Object arg) {
    if (arg instanceof byte[] bytes) {
      return bytes;
    }
    if (arg instanceof Boolean flag) {
      return new byte[] {(byte) (flag ? '1' : '0')};
    }
    if (arg instanceof Enum<?> constant) {
      return constant.name().getBytes(StandardCharsets.UTF_8);
    }
    if (isText(arg.getClass())) {
      return arg.toString().getBytes(StandardCharsets.UTF_8);
    }
    throw new IllegalArgumentException(
        "Argument "
            + position
            + " of script '"
            + script
            + "' is a "
            + arg.getClass().getName()
            + "; arguments are String, byte[], Boolean, Number, Character or Enum. For a value as"
            + " this client stores it, pass scripts.encoded(key, value)");
  }

  /** Returns whether values of a type can be arguments. */
  static boolean isSupported(Class<?> type) {
    return type.isPrimitive()
        || type == byte[].class
        || type == Boolean.class
        || type.isEnum()
        || isText(type);
  }

  private static boolean isText(Class<?> type) {
    return CharSequence.class.isAssignableFrom(type)
        || Number.class.isAssignableFrom(type)
        || type == Character.class;
  }
}
