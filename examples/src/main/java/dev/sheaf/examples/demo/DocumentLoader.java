package dev.sheaf.examples.demo;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Makes the data set of the POM files below a folder: the local Maven repository of whoever runs
 * the demonstration. Not thread-safe.
 */
final class DocumentLoader {

  /** Least size of a record, in bytes: smaller ones say nothing about documents. */
  static final int MIN_DOCUMENT_BYTES = 512;

  /** Greatest size of a record, in bytes. */
  static final int MAX_DOCUMENT_BYTES = 100 * 1024;

  /**
   * Greatest size of a file that is parsed, in bytes; a POM's comments can outweigh its content.
   */
  static final int MAX_FILE_BYTES = 1024 * 1024;

  /** Most records: enough for the largest page, and loaded in a second. */
  static final int MAX_DOCUMENTS = 3_000;

  /** Most bytes of all records, so that they fit into the default heap of a small machine twice. */
  static final long MAX_TOTAL_BYTES = 64L * 1024 * 1024;

  /** Most files that are listed; from a larger repository the first found are taken. */
  static final int MAX_FILES_LISTED = 100_000;

  /** Seeds the choice among too many files, so that it is the same in every run. */
  private static final long FILE_SEED = 42;

  private final Path folder;
  private final String shownFolder;
  private final Progress progress;
  private final XmlToJson converter = new XmlToJson();
  private final Map<String, StoredDocument> documents = new LinkedHashMap<>();
  private long totalBytes;
  private int malformed;
  private int tooSmall;
  private int tooLarge;
  private int duplicates;
  private int overLimit;

  /**
   * @param shownFolder the folder as reports name it
   */
  DocumentLoader(Path folder, String shownFolder, Progress progress) {
    this.folder = folder;
    this.shownFolder = shownFolder;
    this.progress = progress;
  }

  /**
   * Reads the files.
   *
   * @param minKeys how many keys the data set must have, with copies if need be
   * @throws DemoException if there is no usable file; the message says where it looked
   */
  Documents load(int minKeys) {
    List<Path> files = list();
    progress.say("  " + Figures.count(files.size()) + " POM files below " + shownFolder);
    for (int i = 0; i < files.size(); i++) {
      progress.doing("reading POM files: " + Figures.count(i) + " of " + files.size());
      read(files.get(i));
    }
    Documents.Skipped skipped =
        new Documents.Skipped(malformed, tooSmall, tooLarge, duplicates, overLimit);
    if (documents.isEmpty()) {
      throw new DemoException(nothingFound(files.size(), skipped));
    }
    String source = "POM files of the local Maven repository, " + shownFolder;
    return Documents.of(source, List.copyOf(documents.values()), minKeys, skipped);
  }

  private String nothingFound(int files, Documents.Skipped skipped) {
    String found =
        files == 0
            ? "there is no file *.pom"
            : "none of the " + files + " files *.pom is usable (" + skipped + ")";
    return "No documents: looked below "
        + folder.toAbsolutePath()
        + " and "
        + found
        + ". Name a Maven repository with -Dmaven.repo.local=FOLDER, or run any Maven build first.";
  }

  private List<Path> list() {
    List<Path> files = new ArrayList<>();
    try {
      if (Files.isDirectory(folder)) {
        Files.walkFileTree(folder, new PomCollector(files));
      }
    } catch (IOException e) {
      throw new DemoException("Cannot list the files below " + folder + ": " + e, e);
    }
    Collections.sort(files);
    Collections.shuffle(files, new Random(FILE_SEED));
    return files;
  }

  private void read(Path file) {
    if (documents.size() >= MAX_DOCUMENTS || totalBytes >= MAX_TOTAL_BYTES) {
      overLimit++;
      return;
    }
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        tooLarge++;
        return;
      }
      Element project = converter.parse(Files.readAllBytes(file));
      String key = key(project);
      if (key == null) {
        malformed++;
      } else {
        add(new StoredDocument(key, converter.toJson(project)));
      }
    } catch (SAXException | IOException e) {
      malformed++;
    }
  }

  private void add(StoredDocument document) {
    if (document.bytes() < MIN_DOCUMENT_BYTES) {
      tooSmall++;
    } else if (document.bytes() > MAX_DOCUMENT_BYTES) {
      tooLarge++;
    } else if (documents.putIfAbsent(document.key(), document) != null) {
      duplicates++;
    } else {
      totalBytes += document.bytes();
    }
  }

  /**
   * {@code pom:group:artifact:version}, group and version from the parent where they are absent.
   */
  private static @Nullable String key(Element project) {
    String group = inherited(project, "groupId");
    String artifact = childText(project, "artifactId");
    String version = inherited(project, "version");
    if (group == null || artifact == null || version == null) {
      return null;
    }
    return "pom:" + group + ":" + artifact + ":" + version;
  }

  private static @Nullable String inherited(Element project, String name) {
    String own = childText(project, name);
    if (own != null) {
      return own;
    }
    Element parent = child(project, "parent");
    return parent == null ? null : childText(parent, name);
  }

  private static @Nullable String childText(Element element, String name) {
    Element child = child(element, name);
    String text = child == null ? "" : child.getTextContent().strip();
    return text.isEmpty() ? null : text;
  }

  private static @Nullable Element child(Element element, String name) {
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child && child.getTagName().equals(name)) {
        return child;
      }
    }
    return null;
  }

  /** Gathers POM files; what may not be read is passed over. */
  private static final class PomCollector extends SimpleFileVisitor<Path> {

    private final List<Path> files;

    PomCollector(List<Path> files) {
      this.files = files;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (attributes.isRegularFile() && file.toString().endsWith(".pom")) {
        files.add(file);
      }
      return files.size() < MAX_FILES_LISTED ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
      return FileVisitResult.CONTINUE;
    }
  }
}
