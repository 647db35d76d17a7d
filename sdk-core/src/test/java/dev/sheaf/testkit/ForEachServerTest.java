// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.abortedWithReason;
import static org.junit.platform.testkit.engine.EventConditions.displayName;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.instanceOf;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import org.opentest4j.TestAbortedException;

class ForEachServerTest {
  private static final String PATH_PROPERTY = "redis.server.path";
  private final PrintStream systemOut = System.out;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private @Nullable String pathBefore;

  @BeforeEach
  void hideRedisServer() {
    pathBefore = System.getProperty(PATH_PROPERTY);
    System.setProperty(PATH_PROPERTY, "no/such/redis-server");
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restore() {
    System.setOut(systemOut);
    if (pathBefore == null) {
      System.clearProperty(PATH_PROPERTY);
    } else {
      System.setProperty(PATH_PROPERTY, pathBefore);
    }
  }

  @Test
  void serverIsAbsent_testsAreSkippedAndOneLineSaysWhy() {
    Events tests = run(Map.of("sheaf.servers", "real"));

    String line = "SKIPPED the tests on server 'real': no redis-server on the PATH";
    tests
        .aborted()
        .assertThatEvents()
        .hasSize(2)
        .have(event(abortedWithReason(instanceOf(TestAbortedException.class), message(line))));
    assertThat(printed.toString(StandardCharsets.UTF_8).lines()).containsExactly(line);
  }

  @Test
  void serverIsAbsentButRequired_testsFail() {
    Events tests = run(Map.of("sheaf.servers", "real", "sheaf.requireServers", "true"));

    tests
        .failed()
        .assertThatEvents()
        .hasSize(2)
        .have(
            event(
                finishedWithFailure(
                    message(m -> m.contains("no redis-server") && m.contains("requireServers")))));
  }

  @Test
  void servers_chosenByLabel_eachIsOneInvocation() {
    Events tests = run(Map.of("sheaf.servers", "real, real-cluster"));

    tests.assertStatistics(counts -> counts.started(3).aborted(3));
    tests.started().assertThatEvents().areExactly(1, event(test(), displayName("real-cluster")));
  }

  @Test
  void servers_unknownLabel_failsWithTheKnownOnes() {
    EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(Sample.class))
        .configurationParameter("sheaf.servers", "memcached")
        .execute()
        .containerEvents()
        .failed()
        .assertThatEvents()
        .have(
            event(
                finishedWithFailure(
                    message(m -> m.contains("'memcached'") && m.contains("real-cluster")))));
  }

  private static Events run(Map<String, String> parameters) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(Sample.class))
        .configurationParameters(parameters)
        .execute()
        .testEvents();
  }

  static class Sample {
    @ForEachServer
    void onAny(ServerUnderTest server) {
      throw new AssertionError("ran on " + server);
    }

    @ForEachServer(on = Topology.STANDALONE)
    void onStandalone(ServerUnderTest server) {
      throw new AssertionError("ran on " + server);
    }
  }
}
