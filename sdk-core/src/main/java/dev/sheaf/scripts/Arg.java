// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of a {@link LuaScript} method as an argument: a {@code String} or other {@code
 * CharSequence}, {@code byte[]}, a number, a {@code boolean}, a {@code char} or an enum.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Arg {}
