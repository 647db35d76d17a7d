package dev.sheaf.benchmarks;

final class Comparison {
  Comparison(CompareOptions o, java.io.PrintStream p) {}

  void run() {}
}
