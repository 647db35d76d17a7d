// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.servers.ComparisonException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The results of a comparison, and their file format.
 *
 * @param environment machine, versions and command, by name
 * @param rows the results of each row
 */
public record ResultFile(Map<String, String> environment, List<Found> rows) {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * The results of a row.
   *
   * @param group the group that selects it
   * @param name its name
   * @param title its description
   * @param unit the unit of the scores
   * @param higherIsBetter whether they are rates; otherwise they are times
   * @param clients the results of each client
   */
  public record Found(
      String group,
      String name,
      String title,
      String unit,
      boolean higherIsBetter,
      Map<Client, Series> clients) {

    static Found of(Row row) {
      return new Found(
          row.group(),
          row.name(),
          row.title(),
          row.order().work().unit(),
          row.order().work().isRate(),
          new TreeMap<>());
    }

    void add(Client client, Map<String, Double> figures) {
      Objects.requireNonNull(
              clients.computeIfAbsent(client, c -> new Series(new ArrayList<>(), new TreeMap<>())))
          .add(figures);
    }
  }

  /**
   * The results of one client, by round.
   *
   * @param scores operations a second, or microseconds
   * @param figures the other measurements
   */
  public record Series(List<Double> scores, Map<String, List<Double>> figures) {

    private void add(Map<String, Double> found) {
      found.forEach(
          (name, value) -> {
            List<Double> values =
                name.equals("score")
                    ? scores
                    : figures.computeIfAbsent(name, n -> new ArrayList<>());
            values.add(value);
          });
    }
  }

  /**
   * Writes the file.
   *
   * @throws ComparisonException if it cannot be written
   */
  void write(Path file) {
    try {
      JSON.writeValue(file.toFile(), this);
    } catch (IOException e) {
      throw new ComparisonException("Cannot write " + file + ": " + e.getMessage(), e);
    }
  }
}
