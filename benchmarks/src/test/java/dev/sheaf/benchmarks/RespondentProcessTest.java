package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RespondentProcessTest {

  private static final Timing SHORT = new Timing(0, 10, 1, 10);
  private static final String NOWHERE = "redis://127.0.0.1:1";

  @TempDir Path directory;

  @Test
  void answer_noServer_saysWhyAndStaysBounded() {
    try (RespondentProcess jvm = start()) {
      assertThatThrownBy(() -> jvm.answer(order(GetLoad.class.getName())))
          .isInstanceOf(ComparisonException.class)
          .hasMessageContaining("127.0.0.1");
    }
  }

  @Test
  void answer_noSuchBenchmark_saysWhy() {
    try (RespondentProcess jvm = start()) {
      assertThatThrownBy(() -> jvm.answer(order("dev.sheaf.None.get")))
          .isInstanceOf(ComparisonException.class)
          .hasMessageContaining("No benchmarks to run");
    }
  }

  @Test
  void answer_tooLate_endsTheProcess() {
    try (RespondentProcess jvm = start()) {
      assertThatThrownBy(() -> jvm.answer(order("dev.sheaf.None.get"), 1))
          .isInstanceOf(ComparisonException.class)
          .hasMessageContaining("no answer within 1 ms");
    }
  }

  private RespondentProcess start() {
    return RespondentProcess.start(ChildJvm.ownHome(), directory.resolve("jvm.log"));
  }

  private Order order(String benchmark) {
    Map<String, String> parameters = Map.of(Order.CLIENT, Client.LETTUCE.name(), GetLoad.RATE, "0");
    String log = directory.resolve("order.log").toString();
    return new Order(benchmark, 1, parameters, ServerKind.STANDALONE, NOWHERE, SHORT, log);
  }
}
