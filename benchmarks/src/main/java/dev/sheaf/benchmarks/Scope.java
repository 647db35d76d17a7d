package dev.sheaf.benchmarks;

/** How much a comparison asks, and for how long. */
enum Scope {
  /** Every question to every rival, each in a JVM of its own: hours. */
  FULL("", 3, false),
  /** The main questions with short iterations: five minutes. */
  QUICK("quick", 2, true),
  /** What Sheaf is meant to reach, with the rivals it is compared with: half an hour. */
  TARGETS("targets", 3, true),
  /** Percentiles, sizes of values and storms of PINGs; then system calls, and where time goes. */
  DETAILS("details", 2, true);

  private final String word;
  private final int rounds;
  private final boolean sharesJvms;

  Scope(String word, int rounds, boolean sharesJvms) {
    this.word = word;
    this.rounds = rounds;
    this.sharesJvms = sharesJvms;
  }

  /** As options name it; empty for all there is. */
  String word() {
    return word;
  }

  /** What its results are called. */
  String fileName() {
    return this == TARGETS || this == DETAILS ? word : "results";
  }

  /** How often each question is put to each rival, unless the options say otherwise. */
  int rounds() {
    return rounds;
  }

  /** Whether one JVM of a rival answers several questions of a kind in turn. */
  boolean sharesJvms() {
    return sharesJvms;
  }
}
