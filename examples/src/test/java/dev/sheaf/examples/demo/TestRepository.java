package dev.sheaf.examples.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A Maven repository of a few made-up POMs. */
final class TestRepository {

  private final Path folder;

  TestRepository(Path folder) {
    this.folder = folder;
  }

  Path folder() {
    return folder;
  }

  /** Adds POMs {@code g:a0:1}, {@code g:a1:1} and so on of 1 to 3 KiB. */
  TestRepository withPoms(int count) {
    for (int i = 0; i < count; i++) {
      write("a" + i, pom("<groupId>g</groupId>", "a" + i, 1_000 + i * 37 % 2_000));
    }
    return this;
  }

  TestRepository write(String name, String content) {
    try {
      Path version = Files.createDirectories(folder.resolve("g").resolve(name).resolve("1"));
      Files.writeString(version.resolve(name + "-1.pom"), content);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String pom(String head, String artifact, int size) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<project>"
        + head
        + "<artifactId>"
        + artifact
        + "</artifactId><version>1</version><description>"
        + "x".repeat(size)
        + "</description></project>\n";
  }
}
