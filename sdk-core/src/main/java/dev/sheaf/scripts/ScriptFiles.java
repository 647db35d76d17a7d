// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads scripts from the class path. */
final class ScriptFiles {

  private static final String PREFIX = "classpath:";

  private ScriptFiles() {}

  static String path(String resource) {
    String path = resource.startsWith(PREFIX) ? resource.substring(PREFIX.length()) : resource;
    return path.startsWith("/") ? path.substring(1) : path;
  }

  static String baseName(String path) {
    String file = path.substring(path.lastIndexOf('/') + 1);
    return file.endsWith(".lua") ? file.substring(0, file.length() - ".lua".length()) : file;
  }

  /** The context class loader sees the application's files where containers separate them. */
  static ClassLoader callersClassLoader() {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return loader == null ? ownClassLoader() : loader;
  }

  private static ClassLoader ownClassLoader() {
    ClassLoader own = ScriptFiles.class.getClassLoader();
    return own == null ? ClassLoader.getSystemClassLoader() : own;
  }

  /**
   * Reads a file.
   *
   * @throws ScriptException if it does not exist or cannot be read
   */
  static String read(String path, ClassLoader loader) {
    try (InputStream given = loader.getResourceAsStream(path);
        InputStream stream = given == null ? ownClassLoader().getResourceAsStream(path) : given) {
      if (stream == null) {
        throw new ScriptException(
            "There is no file '"
                + path
                + "' on the class path; paths begin at its root, as in"
                + " classpath:lua/sum.lua");
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new ScriptException("Cannot read classpath:" + path + ": " + e, e);
    }
  }
}
