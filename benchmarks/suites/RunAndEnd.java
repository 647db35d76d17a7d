// SPDX-License-Identifier: Apache-2.0
import java.io.PrintWriter;
import org.junit.platform.console.ConsoleLauncher;

/** Runs JUnit's console launcher, and ends the JVM without the shutdown hooks of tests, which may hang. */
public final class RunAndEnd {

  private RunAndEnd() {}

  public static void main(String[] arguments) {
    ConsoleLauncher.run(new PrintWriter(System.out), new PrintWriter(System.err), arguments);
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }
}
