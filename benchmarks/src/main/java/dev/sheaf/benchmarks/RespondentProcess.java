package dev.sheaf.benchmarks;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Respondent} that runs, and who talks to it. Not thread-safe. */
final class RespondentProcess implements AutoCloseable {

  /** Beyond the time of measuring: connecting, storing values, and what a busy machine adds. */
  private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(60);

  private static final ScheduledExecutorService WATCHDOG =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "benchmark-watchdog");
            thread.setDaemon(true);
            return thread;
          });

  private final ChildJvm jvm;

  private RespondentProcess(ChildJvm jvm) {
    this.jvm = jvm;
  }

  /**
   * Starts one.
   *
   * @param home of the JDK
   * @param log the file for what the JVM complains of
   */
  static RespondentProcess start(Path home, Path log) {
    return new RespondentProcess(
        ChildJvm.start(home, Respondent.class, List.of(), Redirect.appendTo(log.toFile())));
  }

  /**
   * Puts a question, and waits for the answer.
   *
   * @throws ComparisonException if there is none; the message says why. The process is then of no
   *     more use
   */
  Measurement answer(Order order) {
    return answer(order, 2 * order.timing().millis() + PATIENCE_MILLIS);
  }

  Measurement answer(Order order, long patienceMillis) {
    ScheduledFuture<?> end = WATCHDOG.schedule(jvm::kill, patienceMillis, TimeUnit.MILLISECONDS);
    try {
      jvm.write(Respondent.line(order));
      @Nullable String line = jvm.read();
      while (line != null
          && !line.startsWith(Respondent.ANSWER)
          && !line.startsWith(Respondent.FAILURE)) {
        line = jvm.read();
      }
      if (line == null) {
        throw new ComparisonException(
            end.isDone()
                ? "no answer within " + patienceMillis + " ms"
                : "its JVM ended too early");
      }
      if (line.startsWith(Respondent.FAILURE)) {
        throw new ComparisonException(line.substring(Respondent.FAILURE.length()));
      }
      return Respondent.parse(line);
    } finally {
      end.cancel(false);
    }
  }

  /** Ends the process. */
  @Override
  public void close() {
    jvm.close();
  }
}
