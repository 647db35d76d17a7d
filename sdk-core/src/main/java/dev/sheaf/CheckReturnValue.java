// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method, or all methods of a type, whose result must be used: to ignore it is a bug, as
 * when nobody looks at the failures of single keys. Error Prone, SpotBugs and IDEs report such
 * calls.
 *
 * <p>These tools know the annotation by its simple name, in any package. So the client has its own,
 * and needs no library of annotations.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface CheckReturnValue {}
