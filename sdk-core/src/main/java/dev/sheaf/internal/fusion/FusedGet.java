// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several GETs that are sent as one MGET.
 *
 * <p>MGET is not the same as many GETs: it answers nil where GET answers WRONGTYPE, and one refused
 * key refuses all. So a nil is checked with a GET ({@link NilCheck}), and after a refused MGET each
 * GET is sent by itself and gets its own error or redirection.
 */
final class FusedGet extends FusedRead {

  private final Resender resender;
  private @Nullable IdentityHashMap<EncodedCommand<?, ?, ?>, NilCheck> earlyChecks;
  private boolean @Nullable [] nils;
  private int nilCount;

  /** Sends GETs of an MGET again, one by one. */
  interface Resender {
    /** Called when the reply has arrived. */
    void answered(FusedGet fused);

    /** Called after each delivered value. */
    void delivered();

    /** Sends the GETs of a refused MGET one by one. */
    void unfuse(FusedGet fused, List<EncodedCommand<?, ?, ?>> gets, String error);

    /**
     * Called with the number of nils in the reply; checks them.
     *
     * @param unchecked the GETs answered with nil that have not been checked yet
     */
    void checkNils(FusedGet fused, List<EncodedCommand<?, ?, ?>> unchecked, int nils);
  }

  FusedGet(List<EncodedCommand<?, ?, ?>> gets, Resender resender) {
    super(gets);
    this.resender = resender;
  }

  /**
   * Creates a check of one of the keys, to be sent ahead of a write to that key; null if there is
   * one already.
   */
  @Nullable NilCheck checkEarly(EncodedCommand<?, ?, ?> get) {
    if (earlyChecks == null) {
      earlyChecks = new IdentityHashMap<>();
    }
    if (earlyChecks.containsKey(get)) {
      return null;
    }
    NilCheck check = new NilCheck(get, beganNanos());
    earlyChecks.put(get, check);
    return check;
  }

  @Override
  void answered() {
    resender.answered(this);
  }

  @Override
  void restart() {
    nils = null;
    nilCount = 0;
  }

  @Override
  void missing(int index) {
    if (nils == null) {
      nils = new boolean[size()];
    }
    nils[index] = true;
    nilCount++;
  }

  @Override
  void deliver() {
    // Before any new command of a caller: a check after a write could see the new value.
    resender.checkNils(this, withoutEarlyCheck(missing(), false), nilCount);
    for (int i = 0; i < size(); i++) {
      if (!isMissing(i)) {
        reads().get(i).complete();
        resender.delivered();
      }
    }
  }

  private List<EncodedCommand<?, ?, ?>> missing() {
    List<EncodedCommand<?, ?, ?>> missing = new ArrayList<>(nilCount);
    for (int i = 0; i < size() && missing.size() < nilCount; i++) {
      if (isMissing(i)) {
        missing.add(reads().get(i));
      }
    }
    return missing;
  }

  private boolean isMissing(int index) {
    return nils != null && nils[index];
  }

  @Override
  boolean isAskedAgain(int index) {
    return isMissing(index) && !reads().get(index).isAbandoned();
  }

  @Override
  boolean isAskedAgain(String error) {
    return true;
  }

  @Override
  void refused(String error) {
    resender.unfuse(this, withoutEarlyCheck(reads(), true), error);
  }

  /** GETs with a check that was sent ahead of a write are answered there; see {@link NilCheck}. */
  private List<EncodedCommand<?, ?, ?>> withoutEarlyCheck(
      List<EncodedCommand<?, ?, ?>> asked, boolean refused) {
    IdentityHashMap<EncodedCommand<?, ?, ?>, NilCheck> checks = earlyChecks;
    if (checks == null) {
      return asked;
    }
    List<EncodedCommand<?, ?, ?>> rest = new ArrayList<>(asked.size());
    for (EncodedCommand<?, ?, ?> get : asked) {
      NilCheck check = checks.get(get);
      if (check == null) {
        rest.add(get);
      } else if (refused) {
        check.answerInFull();
      }
    }
    return rest;
  }
}
