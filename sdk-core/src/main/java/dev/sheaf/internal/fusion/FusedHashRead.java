// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import java.util.List;

/**
 * Several HGETs of one hash that travel as one HMGET.
 *
 * <p>HMGET answers what HGET answers: nil for a missing field, WRONGTYPE for what is no hash, and
 * all that is refused is refused for the key, which the HGETs share, or by the state of the server.
 * So each HGET gets the answer as its own. Only permission is of the command: whether HMGET may be
 * sent at all is known before ({@link HashFusion}), and if that changes, the HGETs are asked again.
 */
final class FusedHashRead extends FusedRead {

  private final RunFuser fuser;
  private final long writesBefore;

  /**
   * Creates the fused read.
   *
   * @param writesBefore how many writes had left on this connection
   */
  FusedHashRead(List<EncodedCommand<?, ?, ?>> hgets, long writesBefore, RunFuser fuser) {
    super(hgets);
    this.writesBefore = writesBefore;
    this.fuser = fuser;
  }

  long writesBefore() {
    return writesBefore;
  }

  @Override
  void missing(int index) {
    receive(reads().get(index), null);
  }

  @Override
  void deliver() {
    for (int i = 0; i < size(); i++) {
      reads().get(i).complete();
      fuser.delivered();
    }
  }

  @Override
  boolean isAskedAgain(String error) {
    return error.startsWith("NOPERM") || error.startsWith("ERR");
  }

  @Override
  void refused(String error) {
    if (!isAskedAgain(error) || !fuser.unfuse(this, error)) {
      for (EncodedCommand<?, ?, ?> hget : reads()) {
        refuse(hget, error);
      }
    }
  }

  private static void refuse(EncodedCommand<?, ?, ?> hget, String error) {
    if (!hget.isDone()) {
      hget.getOutput().setError(error);
      hget.complete();
    }
  }
}
