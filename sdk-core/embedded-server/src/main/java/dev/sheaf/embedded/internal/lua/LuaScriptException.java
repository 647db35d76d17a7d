// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/**
 * A script failed, or does not compile. The message is the error reply of a Redis 7.0 server
 * without its leading dash, one char per byte (ISO 8859-1).
 */
public final class LuaScriptException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  LuaScriptException(String message) {
    super(message);
  }
}
