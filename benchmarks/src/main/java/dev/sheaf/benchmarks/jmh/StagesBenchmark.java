// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import dev.sheaf.internal.pipeline.StagesCost;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The cost per command, while nothing is wrong, of knowing its stage for time-out messages. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class StagesBenchmark {

  private final StagesCost stages = new StagesCost();

  /** Of a command that is written alone and answered in its own read. */
  @Benchmark
  public void notes() {
    stages.note();
  }
}
