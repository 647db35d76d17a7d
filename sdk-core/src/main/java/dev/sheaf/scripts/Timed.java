package dev.sheaf.scripts;

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

  /** A script that does what another one does, and reads the server's clock before and after. */
  static <T extends @Nullable Object> Script<Timed<T>> around(Script<T> script) {
    ResultType<T> result = script.result();
    if (script.isFunction()) {
      return script.rewritten(
          script.text(), result.as(reply -> new Timed<>(0, result.decode(reply))));
    }
    return script.rewritten(wrapped(script.text()), result.as(reply -> decode(result, reply)));
  }

  /** All on the lines where it was, so that messages of the server name the right ones. */
  private static String wrapped(String text) {
    int code = text.startsWith("#!") ? text.indexOf('\n') + 1 : 0;
    return text.substring(0, code) + BEFORE + text.substring(code) + AFTER;
  }

  private static <T extends @Nullable Object> Timed<T> decode(
      ResultType<T> result, @Nullable Object reply) {
    if (!(reply instanceof List<?> list) || !(list.get(0) instanceof Long micros)) {
      throw new ResultType.Mismatch(Reply.describe(reply));
    }
    return new Timed<>(micros, result.decode(list.size() > 1 ? list.get(1) : null));
  }
}
