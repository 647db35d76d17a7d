// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ContainerEngineTest {
  @Test
  void nothingListens_doesNotAnswer() throws IOException {
    String address;
    try (ServerSocket engine = engine()) {
      address = address(engine);
    }
    assertThat(ContainerEngine.answers(address, Duration.ofSeconds(2))).isFalse();
    assertThat(ContainerEngine.answers("unix:///no/such.sock", Duration.ofSeconds(2))).isFalse();
    assertThat(ContainerEngine.answers("no engine at all", Duration.ofSeconds(2))).isFalse();
  }

  @Test
  void engineAccepts_butSaysNothing_doesNotAnswerWithinTheTimeout() throws IOException {
    try (ServerSocket engine = engine()) {
      assertThat(ContainerEngine.answers(address(engine), Duration.ofMillis(200))).isFalse();
    }
  }

  @Test
  void engineSaysOk_answers_anErrorDoesNot() throws Exception {
    assertThat(answersWhenTold("HTTP/1.0 200 OK\r\n\r\nOK")).isTrue();
    assertThat(answersWhenTold("HTTP/1.0 502 Bad Gateway\r\n\r\n")).isFalse();
  }

  private static boolean answersWhenTold(String response) throws Exception {
    try (ServerSocket engine = engine()) {
      FutureTask<List<String>> request = new FutureTask<>(() -> serveOnce(engine, response));
      new Thread(request, "engine").start();
      boolean answers = ContainerEngine.answers(address(engine), Duration.ofSeconds(5));
      assertThat(request.get(60, TimeUnit.SECONDS)).first().isEqualTo("GET /_ping HTTP/1.0");
      return answers;
    }
  }

  private static List<String> serveOnce(ServerSocket engine, String response) throws IOException {
    try (Socket client = engine.accept();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(client.getInputStream(), US_ASCII))) {
      List<String> request = in.lines().takeWhile(line -> !line.isEmpty()).toList();
      client.getOutputStream().write(response.getBytes(US_ASCII));
      return request;
    }
  }

  private static ServerSocket engine() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
  }

  private static String address(ServerSocket engine) {
    return "tcp://127.0.0.1:" + engine.getLocalPort();
  }
}
