// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisConnectionException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ConnectAttemptsTest {

  private static final String CLOSED = "Connection closed prematurely";

  @Test
  void hangUp_isTriedAgain_untilItSaysWhy() {
    Queue<RuntimeException> failures = failures(CLOSED, "NOPERM not today", "never reached");
    assertThatThrownBy(() -> ConnectAttempts.connect(failing(failures)))
        .hasMessage("NOPERM not today");
    assertThat(failures).hasSize(1);
  }

  @Test
  void whatHangsUpEachTime_isGivenUp() {
    Queue<RuntimeException> failures = failures(CLOSED, CLOSED, CLOSED, CLOSED);
    assertThatThrownBy(() -> ConnectAttempts.connect(failing(failures))).hasMessage(CLOSED);
    assertThat(failures).hasSize(1);
  }

  @Test
  void handshakeThatEndedBeforeItWasLookedAt_isTriedAgain() {
    Queue<RuntimeException> failures = failures("RedisHandshakeHandler not registered");
    assertThat(
            ConnectAttempts.connect(
                () -> {
                  RuntimeException failure = failures.poll();
                  if (failure != null) {
                    throw failure;
                  }
                  return "connected";
                }))
        .isEqualTo("connected");
  }

  private static Queue<RuntimeException> failures(String... messages) {
    return new ArrayDeque<>(List.of(messages).stream().map(RedisConnectionException::new).toList());
  }

  private static Supplier<String> failing(Queue<RuntimeException> failures) {
    return () -> {
      throw failures.remove();
    };
  }
}
