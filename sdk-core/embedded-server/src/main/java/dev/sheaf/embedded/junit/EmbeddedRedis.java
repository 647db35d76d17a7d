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
 * Gives tests an {@link dev.sheaf.embedded.EmbeddedServer}. On a parameter of type {@code
 * EmbeddedServer}, that parameter gets a server of its own for the test. On a class, parameters of
 * the types {@code EmbeddedServer}, {@code EmbeddedClock} and {@code EmbeddedData} get the class's
 * server, which is started anew for each test, or once with {@link Scope#CLASS}. It is closed after
 * the test or the class. Needs JUnit 5.13 or newer.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.PARAMETER})
@ExtendWith(EmbeddedRedisExtension.class)
public @interface EmbeddedRedis {
  /** How long a server lives. */
  enum Scope {
    /** A new one for each test. */
    TEST,
    /**
     * One for all tests of the class. Before each test its data is flushed, its faults end, its
     * counters and its log start anew; nodes that were killed or moved stay so.
     */
    CLASS
  }

  /** Masters of a cluster; 0 for a standalone server. */
  int masters() default 0;

  /** Replicas of each master. */
  int replicas() default 0;

  /** What clients authenticate with; empty for nothing. */
  String password() default "";

  /** Whether time stands still (at 2030-01-01) until the test moves it. */
  boolean manualClock() default false;

  /** The seed of what is random; 0 for another each time. */
  long seed() default 0;

  /** How long the server lives. */
  Scope scope() default Scope.TEST;
}
