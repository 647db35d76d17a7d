// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Provides tests with an {@link dev.sheaf.embedded.EmbeddedServer}. On a parameter of type {@code
 * EmbeddedServer}, that parameter gets a server of its own for the test. On a class, parameters of
 * the types {@code EmbeddedServer}, {@code EmbeddedClock} and {@code EmbeddedData} get the server
 * of the class, which is new for each test, or started once with {@link Scope#CLASS}. It is closed
 * after the test or the class. Needs JUnit 5.13 or newer.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.PARAMETER})
@ExtendWith(EmbeddedRedisExtension.class)
public @interface EmbeddedRedis {
  /** The lifetimes of a server. */
  enum Scope {
    /** A new server for each test. */
    TEST,
    /**
     * One server for all tests of the class. Before each test its data is flushed, its faults end,
     * and its counters and log are reset. Nodes that were killed or moved stay so.
     */
    CLASS
  }

  /** The number of masters of a cluster; 0 for a standalone server. */
  int masters() default 0;

  /** The number of replicas of each master. */
  int replicas() default 0;

  /** The password; empty for none. */
  String password() default "";

  /** Whether the clock stands still (at 2030-01-01) until the test advances it. */
  boolean manualClock() default false;

  /** The seed of random choices; 0 for a different one each time. */
  long seed() default 0;

  /** The lifetime of the server. */
  Scope scope() default Scope.TEST;
}
