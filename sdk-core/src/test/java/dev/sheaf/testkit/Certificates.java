// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Authorities and certificates of {@code 127.0.0.1}, made by openssl: two files each, {@code
 * NAME.crt} and {@code NAME.key}.
 */
public final class Certificates {

  private static final int OPENSSL_SECONDS = 60;

  private final Path directory;

  /** None yet. */
  public Certificates(Path directory) {
    this.directory = directory;
  }

  /** Where a file is, made or not. */
  public Path file(String name) {
    return directory.resolve(name);
  }

  /** Makes an authority, whose name is that of its files and of its subject. */
  public void authority(String name) throws Exception {
    openssl(name, List.of("-addext", "basicConstraints=critical,CA:TRUE"));
  }

  /** Makes a certificate that an authority has signed. */
  public void certificate(String name, String authority) throws Exception {
    openssl(
        name,
        List.of(
            "-CA",
            file(authority + ".crt").toString(),
            "-CAkey",
            file(authority + ".key").toString(),
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-addext",
            "subjectAltName=IP:127.0.0.1"));
  }

  private void openssl(String name, List<String> options) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"));
    command.addAll(List.of("ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"));
    command.addAll(List.of("-subj", "/CN=" + name));
    command.addAll(List.of("-keyout", file(name + ".key").toString()));
    command.addAll(List.of("-out", file(name + ".crt").toString()));
    command.addAll(options);
    Process openssl =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(file("openssl").toFile())
            .start();
    assertThat(openssl.waitFor(OPENSSL_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(openssl.exitValue()).as(Files.readString(file("openssl"))).isZero();
  }
}
