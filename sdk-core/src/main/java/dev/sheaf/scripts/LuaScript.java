// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface method that calls a script. {@link Scripts#bind} creates the implementation.
 *
 * <pre>{@code
 * interface Carts {
 *   @LuaScript(value = "classpath:lua/sum.lua", readOnly = true)
 *   long sum(@Keys List<String> carts, @Arg long limit);
 * }
 * }</pre>
 *
 * <p>Every parameter is either the keys or an argument. Arguments are passed in their order. The
 * method returns {@code long}, {@code int}, {@code boolean} or their wrapper types, {@code String},
 * {@code byte[]}, {@code void}, {@code Object} for the reply unchanged, a {@code List} or a {@code
 * Map} from {@code String} of these; or, without blocking, a {@code CompletableFuture}, {@code
 * CompletionStage} or {@code Mono} of any of these.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface LuaScript {

  /** The script file, such as {@code classpath:lua/sum.lua}. */
  String value();

  /** The name in meters and messages; by default {@code Interface.method}. */
  String name() default "";

  /** Whether the script only reads; see {@link Script.Definition#readOnly}. */
  boolean readOnly() default false;

  /** Whether every call carries the text; see {@link Script.Definition#inOrder}. */
  boolean inOrder() default false;
}
