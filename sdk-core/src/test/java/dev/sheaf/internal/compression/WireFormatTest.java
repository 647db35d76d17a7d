// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page on the wire format, its test vectors, and the reader in Python agree with the code. */
class WireFormatTest {

  private static final Path DOCS = Path.of("..", "docs");
  private static final Path READER = Path.of("..", "examples", "python", "read_value.py");
  private static final int MAX_READER_LINES = 90;
  private static final int MAX_LINES_WITH_DICTIONARIES = 150;

  record Vector(String name, byte[] stored, String expected) {
    boolean isUnreadable() {
      return expected.startsWith("!");
    }

    byte[] value() {
      return hex(expected);
    }

    /** Whether it is of an algorithm that needs a library in Python. */
    boolean needsLibrary() {
      return name.startsWith("lz4") || name.startsWith("zstd") || name.startsWith("dictionary");
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Vector> vectors() throws IOException {
    return Files.readAllLines(DOCS.resolve("wire-format-vectors.txt")).stream()
        .filter(line -> !line.startsWith("#") && !line.startsWith("@"))
        .map(line -> line.split(" "))
        .map(parts -> new Vector(parts[0], hex(parts[1]), parts[2]))
        .toList();
  }

  static List<Vector> vectorsThatNeedNoLibrary() throws IOException {
    return vectors().stream().filter(vector -> !vector.needsLibrary()).toList();
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void vector_isReadAsThePageSays(Vector vector, @TempDir Path folder) throws IOException {
    ValueCompression compression = withTheDictionary(folder);
    if (vector.isUnreadable()) {
      assertThatThrownBy(() -> compression.decompress(vector.stored()))
          .isInstanceOfSatisfying(
              UnreadableValueException.class,
              e -> assertThat("!" + e.reason()).isEqualTo(vector.expected()));
    } else {
      assertThat(compression.decompress(vector.stored())).isEqualTo(vector.value());
      byte[] written = compression.compress(new byte[0], vector.value());
      assertThat(compression.decompress(written)).isEqualTo(vector.value());
    }
  }

  private static ValueCompression withTheDictionary(Path folder) throws IOException {
    String line =
        Files.readAllLines(DOCS.resolve("wire-format-vectors.txt")).stream()
            .filter(each -> each.startsWith("@"))
            .findFirst()
            .orElseThrow();
    Path file = Files.write(folder.resolve("dictionary"), hex(line.split(" ")[1]));
    return ValueCompression.of(
        CompressionOptions.builder()
            .dictionaries(DictionaryOptions.builder().training(false).files(file).build())
            .build());
  }

  @Test
  void readers_areShort() throws IOException {
    assertThat(Files.readAllLines(READER)).hasSizeLessThanOrEqualTo(MAX_READER_LINES);
    for (String other : new String[] {"go/read_value.go", "typescript/read_value.ts"}) {
      assertThat(Files.readAllLines(Path.of("..", "examples").resolve(other)))
          .hasSizeLessThanOrEqualTo(MAX_LINES_WITH_DICTIONARIES);
    }
  }

  @ParameterizedTest
  @MethodSource("vectorsThatNeedNoLibrary")
  void readerInPython_readsTheVector(Vector vector) throws Exception {
    Output output = readInPython(vector.stored());
    if (vector.isUnreadable()) {
      assertThat(output.exit()).isNotZero();
      assertThat(output.bytes()).isEmpty();
    } else {
      assertThat(output.exit()).isZero();
      assertThat(output.bytes()).isEqualTo(vector.value());
    }
  }

  @Test
  void readerInPython_readsWhatThisClientWrites() throws Exception {
    byte[] value = Samples.json(20_000, 1);
    byte[] stored = ValueCompression.of(CompressionOptions.defaults()).compress(new byte[0], value);
    assertThat(stored.length).isLessThan(value.length / 2);
    assertThat(readInPython(stored).bytes()).isEqualTo(value);
  }

  @Test
  void page_namesEveryReasonAndTheLayout() throws IOException {
    String page = Files.readString(DOCS.resolve("wire-format.md"));
    assertThat(page).contains(Arrays.stream(Reason.values()).map(r -> "| `" + r + "` |").toList());
    assertThat(page)
        .contains("| " + Envelope.VERSION_OFFSET + " | 1 | version: `0" + Envelope.VERSION + "`")
        .contains("| " + Envelope.ALGORITHM_OFFSET + " | 1 | algorithm")
        .contains("| " + Envelope.LENGTH_OFFSET + " | 4 | length")
        .contains("| " + Envelope.CHECKSUM_OFFSET + " | 4 | CRC-32C")
        .contains("| " + Envelope.HEADER_BYTES + " | … | payload")
        .contains("| 6 | 1 | version: `0" + CompactEnvelope.VERSION + "`")
        .contains("| " + CompactEnvelope.HEADER_BYTES + " | … | a frame")
        .contains("`" + DictionaryStore.KEY + "`");
    for (Compressor compressor :
        List.of(Compressor.snappy(), Compressor.lz4(), Compressor.zstd())) {
      assertThat(page.lines().filter(l -> l.startsWith("| `0" + compressor.id() + "` |")))
          .singleElement()
          .asString()
          .contains(String.format("| %,d bytes |", compressor.maxOriginalLength(1)));
    }
  }

  private record Output(int exit, byte[] bytes) {}

  private static Output readInPython(byte[] stored) throws Exception {
    Process process;
    try {
      process =
          new ProcessBuilder("python3", READER.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException absent) {
      System.out.println("SKIPPED the reader in Python: no python3 on the PATH");
      Assumptions.abort("no python3 on the PATH");
      throw absent;
    }
    try (OutputStream in = process.getOutputStream()) {
      in.write(stored);
    }
    byte[] bytes = process.getInputStream().readAllBytes();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Output(process.exitValue(), bytes);
  }

  private static byte[] hex(String text) {
    return text.equals("-") ? new byte[0] : HexFormat.of().parseHex(text);
  }
}
