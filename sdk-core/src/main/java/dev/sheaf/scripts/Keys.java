// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter of a {@link LuaScript} method that passes the keys: one key, or a {@code
 * Collection} or an array of keys, of the client's type of keys. A method has at most one.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Keys {}
