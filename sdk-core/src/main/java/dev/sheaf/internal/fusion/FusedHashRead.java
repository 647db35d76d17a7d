// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import java.util.List;

/**
 * Several HGETs of one hash that are sent as one HMGET.
 *
 * <p>HMGET answers like HGET: nil for a missing field, and WRONGTYPE if the key is no hash. Other
 * errors concern the key, which the HGETs share, or the state of the server. So each HGET gets the
 * answer or error as its own. Only permissions depend on the command: {@link HashFusion} finds out
 * first whether HMGET is allowed, and if that changes, the HGETs are sent again.
 */
final class FusedHashRead extends FusedRead {

  private final RunFuser fuser;
  private final long writesBefore;

  /**
   * Creates the fused read.
   *
   * @param writesBefore how many writes had been sent on this connection
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
