package dev.sheaf.examples.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything a report shows.
 *
 * @param descriptions of the experiments, by name
 * @param loops what the client's detector found meanwhile, a line each
 * @param facts what was measured on and with, by name
 */
record Report(
    Map<String, String> descriptions,
    List<Measurement> measurements,
    Documents documents,
    List<String> loops,
    String countsExplained,
    Map<String, String> facts) {

  /** The measurements of each experiment, the naive way first, in the order they were made. */
  Map<String, List<Measurement>> byExperiment() {
    Map<String, List<Measurement>> groups = new LinkedHashMap<>();
    for (Measurement measurement : measurements) {
      groups.computeIfAbsent(measurement.experiment(), name -> new ArrayList<>()).add(measurement);
    }
    return groups;
  }
}
