package dev.sheaf.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.chaos.ChaosChecker.Findings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checker finds what a client does wrong, and nothing where it does nothing wrong. */
@Timeout(60)
class ChaosCheckerTest {

  private static final int CALLS = 20_000;

  /** A store that does one call in a thousand wrong, in a way of its own. */
  private static final class WrongClient implements ChaosClient {

    final String wrong;
    final Map<String, String> values = new ConcurrentHashMap<>();
    final Map<String, Long> counts = new ConcurrentHashMap<>();
    final AtomicLong calls = new AtomicLong();

    WrongClient(String wrong) {
      this.wrong = wrong;
    }

    private boolean is(String kind) {
      return calls.incrementAndGet() % 1_000 == 0 && wrong.equals(kind);
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
          : values.get(is("mixed up") ? "value:0".equals(key) ? "value:1" : "value:0" : key);
    }

    @Override
    public List<String> getAll(List<String> keys) {
      List<String> all = new ArrayList<>();
      keys.forEach(key -> all.add(values.get(key)));
      return all;
    }

    @Override
    public void close() {}
  }

  private static Findings run(WrongClient client) throws Exception {
    Findings findings = new Findings();
    ChaosRun run = new ChaosRun(client, findings, 4, Duration.ofSeconds(10));
    run.start();
    while (findings.calls.get() < CALLS) {
      Thread.onSpinWait();
    }
    run.stop();
    for (int thread = 0; thread < 4; thread++) {
      run.compare(thread);
    }
    return findings;
  }

  @ParameterizedTest
  @CsvSource({"doubled", "lost", "stale", "mixed up"})
  void wrongClient_isFoundOut(String wrong) throws Exception {
    assertThat(run(new WrongClient(wrong)).of(wrong)).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"nothing", "unknown"})
  void rightClient_isNot(String wrong) throws Exception {
    Findings findings = run(new WrongClient(wrong));
    assertThat(findings.violations).as(findings.summary()).hasValue(0);
    assertThat(findings.calls).hasValueGreaterThanOrEqualTo(CALLS);
  }

  @Test
  void lossWhileServersMayLose_isTheServers() {
    Findings findings = new Findings();
    ChaosChecker checker = new ChaosChecker(findings, 0);
    checker.incremented(1, 10);
    checker.incremented(2, 20);
    findings.serversMayLose(30);
    checker.incremented(2, 40);
    assertThat(findings.violations).hasValue(0);
    assertThat(findings.lostByServer).hasValue(1);
    checker.incremented(2, 50);
    assertThat(findings.of("lost")).isEqualTo(1);
  }
}
