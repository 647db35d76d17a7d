// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that runs once on each kind of server, which it takes as a {@link ServerUnderTest}
 * parameter; so may its {@code @BeforeEach} methods. The server is empty when the test begins.
 *
 * <p>Put such tests into a class named {@code …ContractTest}. Surefire runs it on the embedded
 * servers only, Failsafe on all of them; {@code -Dsheaf.servers=real,real-cluster} chooses others.
 * Where a server cannot run, its tests are skipped and one line says why; under {@code
 * -Dsheaf.requireServers=true} (for containers, {@code -Dsheaf.requireContainers=true}) they fail.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(ForEachServerProvider.class)
public @interface ForEachServer {
  /** Restricts the test to standalone servers or to clusters. */
  Topology on() default Topology.ANY;
}
