// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Result;
import dev.sheaf.chaos.ChaosChecker.Findings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checker finds what a client does wrong, and nothing where it does nothing wrong. */
@Timeout(180)
class ChaosCheckerTest {

  private static final int OPERATIONS = 100_000;

  /** A store that does a hundredth of its calls of one kind wrong, in a way of its own. */
  private static final class WrongClient implements BulkClient {

    final String wrong;
    final Map<String, String> values = new ConcurrentHashMap<>();
    final Map<String, Long> counts = new ConcurrentHashMap<>();
    final AtomicLong calls = new AtomicLong();

    WrongClient(String wrong) {
      this.wrong = wrong;
    }

    /** Whether to do this wrong: each hundredth time that it could be. */
    private boolean is(String kind) {
      return wrong.equals(kind) && calls.incrementAndGet() % 100 == 0;
    }

    @Override
    public long incr(String key) {
      if (is("doubled")) {
        counts.merge(key, 1L, Long::sum);
      }
      if (is("lost")) {
        return counts.getOrDefault(key, 0L) + 1;
      }
      long now = counts.merge(key, 1L, Long::sum);
      if (is("unknown")) {
        throw new OutcomeUnknownException("INCR");
      }
      return now;
    }

    @Override
    public void set(String key, String value) {
      if (!is("stale")) {
        values.put(key, value);
      }
    }

    @Override
    public String get(String key) {
      Long count = counts.get(key);
      return count != null
          ? String.valueOf(count)
          : values.get(is("mixed up") ? another(key) : key);
    }

    /** Another key of the same kind. */
    private static String another(String key) {
      int last = key.length() - 1;
      return key.substring(0, last) + (key.charAt(last) == '0' ? '1' : '0');
    }

    @Override
    public List<String> getAll(List<String> keys) {
      List<String> all = new ArrayList<>();
      keys.forEach(key -> all.add(values.get(key)));
      return all;
    }

    @Override
    public Map<String, Result<Long>> incrAll(List<String> keys, boolean batch) {
      Map<String, Result<Long>> results = new HashMap<>();
      for (String key : keys) {
        try {
          results.put(key, new Result.Value<>(incr(key)));
        } catch (OutcomeUnknownException e) {
          results.put(key, new Result.Failure<>(e));
        }
      }
      return results;
    }

    @Override
    public Map<String, Result<Boolean>> setAll(Map<String, String> written) {
      Map<String, Result<Boolean>> results = new HashMap<>();
      written.forEach(
          (key, value) -> {
            set(key, value);
            results.put(key, new Result.Value<>(true));
          });
      return results;
    }

    @Override
    public Map<String, Result<String>> readAll(List<String> keys) {
      Map<String, Result<String>> results = new HashMap<>();
      for (int i = 0; i < keys.size(); i++) {
        String value = get(keys.get(i));
        results.put(keys.get(i), value == null ? new Result.Absent<>() : new Result.Value<>(value));
      }
      return results;
    }

    @Override
    public boolean didNotRun(Exception failure) {
      return false;
    }

    @Override
    public void close() {}
  }

  private static Findings run(WrongClient client, boolean bulk) throws Exception {
    Findings findings = new Findings();
    ChaosRun run = new ChaosRun(findings, Duration.ofSeconds(10));
    if (bulk) {
      run.startBulk(client, 2);
    } else {
      run.startSingle(client, 4);
    }
    while (findings.operations() < OPERATIONS) {
      Thread.onSpinWait();
    }
    run.stop();
    for (Caller caller : run.callers()) {
      caller.compare();
    }
    return findings;
  }

  @ParameterizedTest
  @CsvSource({"doubled", "lost", "stale", "mixed up"})
  void wrongClient_isFoundOut(String wrong) throws Exception {
    assertThat(run(new WrongClient(wrong), false).of(wrong)).isPositive();
    assertThat(run(new WrongClient(wrong), true).of(wrong)).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"nothing", "unknown"})
  void rightClient_isNot(String wrong) throws Exception {
    for (boolean bulk : new boolean[] {false, true}) {
      Findings findings = run(new WrongClient(wrong), bulk);
      assertThat(findings.violations).as(findings.summary()).hasValue(0);
      assertThat(findings.unknown() > 0).isEqualTo(wrong.equals("unknown"));
    }
  }

  @Test
  void lossWhileServersMayLose_isTheServers() {
    Findings findings = new Findings();
    ChaosChecker checker = new ChaosChecker(findings, "key", 0);
    checker.incremented(1, 10, 10);
    checker.incremented(2, 20, 20);
    findings.serversMayLose(30);
    checker.incremented(2, 40, 40);
    assertThat(findings.violations).hasValue(0);
    assertThat(findings.lostByServer).hasValue(1);
    checker.incremented(2, 50, 50);
    assertThat(findings.of("lost")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"25, 45, 0", "25, 35, 1", "35, 45, 1"})
  void missingWrites_areExcusedIfAllWereAcknowledgedWhileTheLoserServed(
      long since, long until, int stale) {
    Findings findings = new Findings();
    ChaosChecker checker = new ChaosChecker(findings, "key", 0);
    for (int i = 0; i < 3; i++) {
      checker.nextValue();
      checker.written(20 + 10 * i, 21 + 10 * i);
    }
    checker.readBack(1, 50, 51);
    assertThat(findings.of("stale")).as("until the logs are read").isEqualTo(1);
    findings.excuse((key, from, to) -> key.equals("key") && from <= until && to >= since);
    assertThat(findings.of("stale")).isEqualTo(stale);
    assertThat(findings.violations).hasValue(stale);
    assertThat(findings.lostWhenDemoted()).isEqualTo(1 - stale);
  }

  @Test
  void writeThatWasSeenLater_wasNotLostBefore() {
    Findings findings = new Findings();
    ChaosChecker checker = new ChaosChecker(findings, "key", 0);
    checker.nextValue();
    checker.written(20, 21);
    checker.readBack(1, 40, 41);
    checker.readBack(0, 50, 51);
    findings.excuse((key, from, to) -> from <= 30 && to >= 10);
    assertThat(findings.of("stale")).isEqualTo(1);
  }
}
