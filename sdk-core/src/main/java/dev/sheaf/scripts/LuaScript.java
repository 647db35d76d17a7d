// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of an interface that calls a script; {@link Scripts#bind} makes the object.
 *
 * <pre>{@code
 * interface Carts {
 *   @LuaScript(value = "classpath:lua/sum.lua", readOnly = true)
 *   long sum(@Keys List<String> carts, @Arg long limit);
 * }
 * }</pre>
 *
 * <p>Every parameter is either the keys or an argument; arguments are passed in their order. The
 * method returns {@code long}, {@code int}, {@code boolean} or their objects, {@code String},
 * {@code byte[]}, {@code void}, {@code Object} for the reply as it is, a {@code List} or a {@code
 * Map} from {@code String} of these; or a {@code CompletableFuture}, {@code CompletionStage} or
 * {@code Mono} of any of these, which does not block.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface LuaScript {

  /** The file, as {@code classpath:lua/sum.lua}. */
  String value();

  /** The name in meters and messages; by default {@code Interface.method}. */
  String name() default "";

  /** Whether it only reads; see {@link Script.Definition#readOnly}. */
  boolean readOnly() default false;

  /** Whether every call carries the text; see {@link Script.Definition#inOrder}. */
  boolean inOrder() default false;
}
