package dev.sheaf.benchmarks;

final class CompareOptions {
  static final String USAGE = "";

  static CompareOptions parse(String[] a) {
    throw new IllegalArgumentException();
  }

  boolean help() {
    return false;
  }
}
