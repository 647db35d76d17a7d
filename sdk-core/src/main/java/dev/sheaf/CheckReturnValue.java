// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method, or all methods of a type, whose result must not be ignored, for instance because
 * it contains failures of single keys. Error Prone, SpotBugs and IDEs report calls that ignore it.
 *
 * <p>These tools recognise the annotation by its simple name in any package, so the client defines
 * its own and needs no annotation library.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface CheckReturnValue {}
