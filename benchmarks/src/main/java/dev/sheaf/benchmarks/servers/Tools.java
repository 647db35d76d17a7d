// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Runs programs of the machine. */
public final class Tools {

  private Tools() {}

  /** Returns the standard output of a program; empty if it cannot be run or fails. */
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

  /** Ends a process by closing its input; kills it if that takes too long. */
  public static void end(Process process, int seconds) {
    try {
      process.getOutputStream().close();
      if (process.waitFor(seconds, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException e) {
      // It no longer reads.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }

  /** Runs a program with output to the console. Returns whether it could be started. */
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
