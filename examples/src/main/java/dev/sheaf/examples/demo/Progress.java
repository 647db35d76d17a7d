package dev.sheaf.examples.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Says on the console what goes on, in plain lines, and never stays silent for long: while one step
 * lasts it repeats what is being done. Thread-safe.
 */
final class Progress implements AutoCloseable {

  /** The longest silence. */
  static final Duration MAX_SILENCE = Duration.ofMillis(2_500);

  private static final Duration CHECK_INTERVAL = Duration.ofMillis(250);

  private final PrintStream out;
  private final ScheduledExecutorService clock;
  private String doing = "starting";
  private long doingSince = System.nanoTime();
  private long lastLine = System.nanoTime();
  private boolean silent;

  Progress(PrintStream out) {
    this.out = out;
    this.clock =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "sheaf-demo-progress");
              thread.setDaemon(true);
              return thread;
            });
    clock.scheduleAtFixedRate(
        this::breakSilence,
        CHECK_INTERVAL.toMillis(),
        CHECK_INTERVAL.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  /** Prints a line. */
  synchronized void say(String line) {
    if (silent) {
      return;
    }
    out.println(line);
    out.flush();
    lastLine = System.nanoTime();
  }

  /** Prints a line and nothing ever after. */
  synchronized void lastWord(String line) {
    say(line);
    silent = true;
  }

  /** Names what goes on from now on; it is printed only if it lasts. */
  synchronized void doing(String what) {
    if (!what.equals(doing)) {
      doing = what;
      doingSince = System.nanoTime();
    }
  }

  private synchronized void breakSilence() {
    long now = System.nanoTime();
    if (now - lastLine >= MAX_SILENCE.toNanos()) {
      long seconds = Duration.ofNanos(now - doingSince).toSeconds();
      say("  ... " + doing + (seconds == 0 ? "" : " (" + seconds + " s)"));
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
