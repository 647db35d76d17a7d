package dev.sheaf.examples.demo;

/**
 * What one way of an experiment took: the median run, with the counts of that same run.
 *
 * @param factor how many times the naive way took this time; 1 for the naive way
 * @param runs how many runs the median is of
 */
record Measurement(
    String experiment,
    String way,
    String description,
    double millis,
    Counts counts,
    double factor,
    int runs) {}
