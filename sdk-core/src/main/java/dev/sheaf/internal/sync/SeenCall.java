// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.command.CommandTraits;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What a method's calls mean to values that were read ahead.
 *
 * @param command the command's name
 * @param ahead how it is read ahead; null if it is not
 * @param keyed whether its first argument is the one key that it has to do with
 * @param readsMore whether it may tell of keys that are not its first argument
 */
record SeenCall(String command, @Nullable AheadRead ahead, boolean keyed, boolean readsMore) {

  private static final ConcurrentMap<Method, SeenCall> KNOWN = new ConcurrentHashMap<>();

  static SeenCall of(Method method) {
    SeenCall known = KNOWN.get(method);
    return known == null ? KNOWN.computeIfAbsent(method, SeenCall::look) : known;
  }

  private static SeenCall look(Method method) {
    CommandTraits traits = CommandTraits.ofMethod(method.getName());
    boolean keyed = traits.isOfFirstArgument() && method.getParameterCount() > 0;
    return new SeenCall(
        traits.isKnown() ? traits.name() : method.getName().toUpperCase(Locale.ROOT),
        AheadRead.of(method),
        keyed,
        !keyed && (traits.isRead() || !traits.isKnown()));
  }
}
