package dev.sheaf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentLoaderTest {

  @TempDir Path folder;

  private final Progress progress =
      new Progress(new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8));

  @AfterEach
  void closeProgress() {
    progress.close();
  }

  @Test
  void load_goodPoms_becomeRecordsUnderTheirCoordinates() {
    Documents documents = load(new TestRepository(folder).withPoms(3), 0);

    assertThat(documents.originals())
        .extracting(StoredDocument::key)
        .containsExactlyInAnyOrder("pom:g:a0:1", "pom:g:a1:1", "pom:g:a2:1");
    assertThat(documents.originals())
        .allSatisfy(
            document ->
                assertThat(document.json()).startsWith("{\"groupId\":\"g\",\"artifactId\":\"a"));
    assertThat(documents.skipped()).hasToString("none");
  }

  @Test
  void load_groupOnlyInParent_inheritsIt() {
    String parent = "<parent><groupId>from.parent</groupId><version>9</version></parent>";
    TestRepository repository =
        new TestRepository(folder).write("a", TestRepository.pom(parent, "a", 1_000));

    assertThat(load(repository, 0).originals().get(0).key()).isEqualTo("pom:from.parent:a:1");
  }

  @Test
  void load_unusableFiles_areSkippedAndCountedByReason() {
    TestRepository repository =
        new TestRepository(folder)
            .withPoms(2)
            .write("broken", "<project><groupId>g")
            .write("bomb", "<!DOCTYPE p [<!ENTITY e \"x\">]>" + "<project>&e;</project>")
            .write("nameless", "<project><description>x</description></project>")
            .write("small", TestRepository.pom("<groupId>g</groupId>", "small", 10))
            .write("large", TestRepository.pom("<groupId>g</groupId>", "large", 200_000))
            .write("huge", TestRepository.pom("<groupId>g</groupId>", "huge", 2_000_000))
            .write("again", TestRepository.pom("<groupId>g</groupId>", "a0", 1_000));

    Documents documents = load(repository, 0);

    assertThat(documents.originals()).hasSize(2);
    assertThat(documents.skipped()).isEqualTo(new Documents.Skipped(3, 1, 2, 1, 0));
    assertThat(documents.skipped())
        .hasToString("3 malformed, 1 too small, 2 too large, 1 duplicate");
  }

  @Test
  void load_fewerFilesThanKeys_storesCopiesUnderFurtherKeys() {
    Documents documents = load(new TestRepository(folder).withPoms(3), 8);

    assertThat(documents.originals()).hasSize(3);
    assertThat(documents.stored()).hasSize(8);
    assertThat(new HashSet<>(documents.stored().stream().map(StoredDocument::key).toList()))
        .hasSize(8);
    assertThat(documents.storedInWords())
        .isEqualTo("8 keys, copies among them, as the largest page needs so many");
  }

  @Test
  void page_isOfDifferentDocuments_andTheSameEveryTime() {
    Documents documents = load(new TestRepository(folder).withPoms(20), 0);

    List<StoredDocument> page = documents.page(12);

    assertThat(page).hasSize(12).doesNotHaveDuplicates();
    assertThat(documents.page(12)).isEqualTo(page);
    assertThatThrownBy(() -> documents.page(21)).hasMessageContaining("stored are 20");
  }

  @Test
  void load_emptyFolder_saysWhereItLooked() {
    assertThatThrownBy(() -> load(new TestRepository(folder), 0))
        .isInstanceOf(DemoException.class)
        .hasMessageContaining(folder.toAbsolutePath().toString())
        .hasMessageContaining("there is no file *.pom")
        .hasMessageContaining("-Dmaven.repo.local");
  }

  @Test
  void load_missingFolder_saysWhereItLooked() {
    TestRepository absent = new TestRepository(folder.resolve("absent"));

    assertThatThrownBy(() -> load(absent, 0))
        .isInstanceOf(DemoException.class)
        .hasMessageContaining("absent and there is no file *.pom");
  }

  @Test
  void load_nothingUsable_saysWhy() {
    TestRepository repository = new TestRepository(folder).write("broken", "<project>");

    assertThatThrownBy(() -> load(repository, 0))
        .isInstanceOf(DemoException.class)
        .hasMessageContaining("none of the 1 files *.pom is usable (1 malformed)");
  }

  @Test
  void sizeHistogram_countsEveryDocumentOnce() {
    Documents documents = load(new TestRepository(folder).withPoms(20), 0);

    assertThat(
            SizeHistogram.of(documents.sizes()).stream().mapToInt(SizeHistogram.Bin::count).sum())
        .isEqualTo(20);
    assertThat(
            SizeHistogram.of(
                new int[] {
                  DocumentLoader.MIN_DOCUMENT_BYTES, 1_023, 1_024, DocumentLoader.MAX_DOCUMENT_BYTES
                }))
        .extracting(SizeHistogram.Bin::count)
        .containsExactly(2, 1, 0, 0, 0, 0, 0, 1);
  }

  private Documents load(TestRepository repository, int minKeys) {
    return new DocumentLoader(repository.folder(), "the repository", progress).load(minKeys);
  }
}
