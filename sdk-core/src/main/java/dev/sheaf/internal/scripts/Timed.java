// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.internal.common.ScriptReply;
import dev.sheaf.scripts.Script;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a script together with the time that the server spent on it.
 *
 * @param micros by the server's clock; 0 if it is not known
 */
record Timed<T extends @Nullable Object>(long micros, T value) {

  /** A user who may not ask for the time may scatter all the same; the text may ask for varargs. */
  private static final String BEFORE =
      "local sheaf_t=redis.pcall('TIME') local function sheaf_f(...) ";

  /** An error passes as an error; a table would end at a nil that is not its last element. */
  private static final String AFTER =
      "\nend local sheaf_r=sheaf_f()"
          + " if type(sheaf_r)=='table' and sheaf_r.err then return sheaf_r end"
          + " local sheaf_u=redis.pcall('TIME')"
          + " if not (sheaf_t[1] and sheaf_u[1]) then return {0,sheaf_r} end"
          + " return {(sheaf_u[1]-sheaf_t[1])*1000000+(sheaf_u[2]-sheaf_t[2]),sheaf_r}";

  /**
   * A script that does what another one does, and reads the server's clock before and after. A
   * function stays what it is.
   */
  static <T extends @Nullable Object> Script<T> around(Script<T> script) {
    if (script.isFunction()) {
      return script;
    }
    Script.Definition timed = Script.of(wrapped(script.text())).named(script.name());
    return (script.isReadOnly() ? timed.readOnly() : timed).returns(script.result());
  }

  /** All on the lines where it was, so that messages of the server name the right ones. */
  private static String wrapped(String text) {
    int code = text.startsWith("#!") ? text.indexOf('\n') + 1 : 0;
    return text.substring(0, code) + BEFORE + text.substring(code) + AFTER;
  }

  /** Reads the reply of a script that {@link #around} has made. */
  static <T extends @Nullable Object> Timed<T> decode(Script<T> script, @Nullable Object reply) {
    if (script.isFunction()) {
      return new Timed<>(0, script.result().decode(reply));
    }
    if (!(reply instanceof List<?> list) || !(list.get(0) instanceof Long micros)) {
      throw new ScriptReply.Mismatch(ScriptReply.describe(reply));
    }
    return new Timed<>(micros, script.result().decode(list.size() > 1 ? list.get(1) : null));
  }
}
