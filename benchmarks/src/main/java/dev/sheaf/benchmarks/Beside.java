package dev.sheaf.benchmarks;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/** Where this program stands. */
final class Beside {

  private Beside() {}

  /** The directory of the jar this runs from, or the current one. */
  static Path jar() {
    @Nullable CodeSource source = Beside.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      return Path.of("");
    }
    try {
      Path parent = Path.of(source.getLocation().toURI()).getParent();
      return parent == null ? Path.of("") : parent;
    } catch (URISyntaxException e) {
      return Path.of("");
    }
  }
}
