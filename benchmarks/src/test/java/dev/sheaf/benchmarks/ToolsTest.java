package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What other programs and the system say is read as it is meant. */
class ToolsTest {

  @Test
  void parse_summaryOfStrace_countsCallsWithAndWithoutErrors() {
    assertThat(
            Strace.parse(
                """
                % time     seconds  usecs/call     calls    errors syscall
                ------ ----------- ----------- --------- --------- ----------------
                 72.41    0.145203           5     25830           write
                 23.06    0.046233           1     25842        12 read
                ------ ----------- ----------- --------- --------- ----------------
                100.00    0.200519           3     52366        12 total
                """))
        .containsOnlyKeys("write", "read")
        .containsEntry("write", 25_830L)
        .containsEntry("read", 25_842L);
  }

  @Test
  void parse_countsOfPerf_knowsUserFromKernel() {
    assertThat(
            InstructionCounter.Perf.parse(
                """
                1000,,instructions:u,500,100.00,,
                3000,,instructions:k,500,100.00,,
                """))
        .containsEntry(InstructionCounter.USER, 1_000.0)
        .containsEntry(InstructionCounter.KERNEL, 3_000.0);
    assertThat(InstructionCounter.Perf.parse("<not supported>,,instructions:u,0,100.00,,\n"))
        .isEmpty();
  }

  @Test
  void total_fileOfCallgrind_isItsSummary() {
    assertThat(InstructionCounter.Callgrind.total("events: Ir\nsummary: 3693106\n\ntotals: 9\n"))
        .isEqualTo(3_693_106);
  }

  @Test
  void parse_statOfAProcessWithAnAwkwardName_readsItsTimes() {
    String stat = "12 (a) b (c) S 1 1 1 0 -1 4194304 100 0 0 0 250 750 0 0 20 0 5 0 100";

    assertThat(ProcessCpu.parse(stat, 100)).isEqualTo(new ProcessCpu(2_500_000, 7_500_000));
  }

  @Test
  void parse_countsOfIo_readsCallsAndNotBytes() {
    assertThat(SystemCalls.parse("rchar: 5\nwchar: 6\nsyscr: 7\nsyscw: 8\n"))
        .isEqualTo(new SystemCalls(7, 8));
  }
}
