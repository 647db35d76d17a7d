package dev.sheaf.benchmarks;

import dev.sheaf.embedded.EmbeddedServer;
import java.io.IOException;
import java.nio.file.Path;

/** An embedded server that ends when its standard input does. */
final class EmbeddedProcess {

  private EmbeddedProcess() {}

  /** Starts it with the given path of a Unix socket, and prints its port. */
  public static void main(String[] args) throws IOException {
    Quiet.logging();
    try (EmbeddedServer server = EmbeddedServer.builder().unixSocket(Path.of(args[0])).start()) {
      System.out.println(server.port());
      System.in.readAllBytes();
    }
    System.exit(0);
  }
}
