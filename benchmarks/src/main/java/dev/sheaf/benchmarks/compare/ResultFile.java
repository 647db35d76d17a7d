package dev.sheaf.benchmarks.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.servers.ComparisonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a run found, as it is written to a file.
 *
 * @param environment where, when and with what
 * @param rows what was found, row by row
 */
public record ResultFile(Map<String, String> environment, List<Found> rows) {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * A row.
   *
   * @param group the word that selects it
   * @param name its name
   * @param title what it is, in words
   * @param unit what scores count
   * @param higherIsBetter whether they are rates; otherwise they are times
   * @param clients what was found for each client
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
          row.work().unit(),
          row.work().isRate(),
          new TreeMap<>());
    }

    void add(Client client, Map<String, Double> figures) {
      clients.computeIfAbsent(client, c -> new Series(new ArrayList<>(), new TreeMap<>()));
      @Nullable Series series = clients.get(client);
      if (series != null) {
        series.add(figures);
      }
    }

    /** How many times as fast one client was as another: of each round, if both have them all. */
    Optional<Spread> ratio(Client client, Client reference) {
      Series own = clients.get(client);
      Series other = clients.get(reference);
      if (own == null || other == null) {
        return Optional.empty();
      }
      List<Double> ratios = new ArrayList<>();
      if (own.scores.size() == other.scores.size()) {
        for (int i = 0; i < own.scores.size(); i++) {
          ratios.add(ratio(own.scores.get(i), other.scores.get(i)));
        }
      } else {
        ratios.add(ratio(own.spread().median(), other.spread().median()));
      }
      return Optional.of(Spread.of(ratios));
    }

    private double ratio(double own, double other) {
      return higherIsBetter ? own / other : other / own;
    }

    /** The fastest of some clients by its median. */
    Optional<Client> best(List<Client> among) {
      return among.stream()
          .filter(clients::containsKey)
          .max((one, other) -> Double.compare(speed(one), speed(other)));
    }

    private double speed(Client client) {
      Series series = clients.get(client);
      double median = series == null ? 0 : series.spread().median();
      return higherIsBetter ? median : -median;
    }
  }

  /**
   * What was found for one client, round by round.
   *
   * @param scores operations a second, or microseconds
   * @param figures what else was counted
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

    Spread spread() {
      return Spread.of(scores);
    }

    /** The median of one of the other figures. */
    Optional<Double> figure(String name) {
      List<Double> values = figures.get(name);
      return values == null ? Optional.empty() : Optional.of(Spread.of(values).median());
    }
  }

  /** The row of that name. */
  Optional<Found> row(String name) {
    return rows.stream().filter(row -> row.name.equals(name)).findFirst();
  }

  /**
   * Reads a file.
   *
   * @throws ComparisonException if it cannot be read or is none of these
   */
  public static ResultFile read(Path file) {
    try {
      return JSON.readValue(file.toFile(), ResultFile.class);
    } catch (IOException e) {
      throw new ComparisonException("Cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Writes the file.
   *
   * @throws ComparisonException if that is not possible
   */
  void write(Path file) {
    try {
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null) {
        Files.createDirectories(folder);
      }
      JSON.writeValue(file.toFile(), this);
    } catch (IOException e) {
      throw new ComparisonException("Cannot write " + file + ": " + e.getMessage(), e);
    }
  }
}
