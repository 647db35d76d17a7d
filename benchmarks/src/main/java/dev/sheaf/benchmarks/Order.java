package dev.sheaf.benchmarks;

import java.util.Map;

/**
 * What a {@link Respondent} is asked to measure.
 *
 * @param benchmark the method of JMH that measures, or {@link GetLoad} by its name
 * @param threads how many
 * @param parameters those of JMH, or of the load
 * @param server what the client is connected to
 * @param uri where that is
 * @param timing how long
 * @param log the file for what JMH says
 */
record Order(
    String benchmark,
    int threads,
    Map<String, String> parameters,
    ServerKind server,
    String uri,
    Timing timing,
    String log) {

  /** The parameter with the client. */
  static final String CLIENT = "client";
}
