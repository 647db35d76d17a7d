// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The parameter of a {@link LuaScript} method that has the keys: one key, or a {@code Collection}
 * or an array of them, of the client's type of keys. A method has one such parameter at most.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Keys {}
