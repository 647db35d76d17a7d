package dev.sheaf.benchmarks;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one run of a command found, as it is kept.
 *
 * @param environment where, when and with what
 * @param questions what was asked, and the answers
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record ResultFile(Map<String, String> environment, List<Asked> questions) {

  /**
   * A question with its answers.
   *
   * @param name what it is called in {@code --only}
   * @param text the question in words
   * @param timing how long each rival was measured
   * @param answers those of the rivals; the first is the one the ratios refer to
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Asked(String name, String text, String timing, List<Answer> answers) {}

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /** What a rival answered to a question; where it was asked more than once, the last time. */
  static Optional<Answer> answer(List<Asked> questions, String question, Contender contender) {
    return questions.stream()
        .filter(asked -> asked.name().equals(question))
        .flatMap(asked -> asked.answers().stream())
        .filter(answer -> answer.rival().equals(contender.label()))
        .reduce((earlier, later) -> later);
  }

  /**
   * Reads a file that {@link #write} wrote.
   *
   * @throws ComparisonException if that is impossible; the message names the file
   */
  static ResultFile read(Path file) {
    try {
      ResultFile found = JSON.readValue(file.toFile(), ResultFile.class);
      if (found.environment == null || found.questions == null) {
        throw new ComparisonException(file + " has no environment or no questions");
      }
      return found;
    } catch (IOException e) {
      throw new ComparisonException(file + " is not a file of results: " + e.getMessage(), e);
    }
  }

  /**
   * Writes it as JSON, as a whole or not at all.
   *
   * @throws ComparisonException if that is impossible
   */
  void write(Path file) {
    try {
      Path whole = file.resolveSibling(file.getFileName() + ".tmp");
      JSON.writeValue(whole.toFile(), this);
      Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new ComparisonException("Cannot write the results: " + e.getMessage(), e);
    }
  }
}
