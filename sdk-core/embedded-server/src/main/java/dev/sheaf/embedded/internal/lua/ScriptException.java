// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/** A script failed; the message is the whole error line with its code. */
public final class ScriptException extends RuntimeException {
  ScriptException(String line) {
    super(line, null, false, false);
  }
}
