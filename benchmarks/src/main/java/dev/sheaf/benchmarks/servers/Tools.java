// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Programs of the machine. */
public final class Tools {

  private Tools() {}

  /** What a program says, without what it complains of; nothing if it cannot be run or fails. */
  public static String output(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? text.strip() : "";
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  /** Ends a process that ends with its input; kills it if that takes longer. */
  public static void end(Process process, int seconds) {
    try {
      process.getOutputStream().close();
      if (process.waitFor(seconds, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException e) {
      // It does not listen any more.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }

  /** Runs a program whose words go to the console; whether it could be started. */
  public static boolean show(String... command) {
    try {
      new ProcessBuilder(command).inheritIO().start().waitFor();
      return true;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
