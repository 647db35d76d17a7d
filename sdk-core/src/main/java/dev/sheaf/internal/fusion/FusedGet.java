// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several GETs that travel as one MGET.
 *
 * <p>MGET is not GET many times: it answers nil where GET answers WRONGTYPE, and it is refused
 * whole where one key is. So a nil is asked again ({@link NilCheck}), and a refused MGET falls
 * apart into its GETs, each of which then meets its own error, or redirect, by itself.
 */
final class FusedGet extends FusedRead {

  private final Resender resender;
  private @Nullable IdentityHashMap<EncodedCommand<?, ?, ?>, NilCheck> earlyChecks;
  private boolean @Nullable [] nils;
  private int nilCount;

  /** Where GETs go that have to be sent (again) by themselves. */
  interface Resender {
    /** Takes note that the reply has come. */
    void answered(FusedGet fused);

    /** Takes note that a GET has its value, and others wait for theirs. */
    void delivered();

    /** Sends the GETs of a refused MGET, each by itself. */
    void unfuse(FusedGet fused, List<EncodedCommand<?, ?, ?>> gets, String error);

    /**
     * Takes note how many keys had no value, and asks again.
     *
     * @param unchecked the keys without a value that nobody has asked about again yet
     */
    void checkNils(FusedGet fused, List<EncodedCommand<?, ?, ?>> unchecked, int nils);
  }

  FusedGet(List<EncodedCommand<?, ?, ?>> gets, Resender resender) {
    super(gets);
    this.resender = resender;
  }

  /**
   * A check of one of the keys that is to be sent now, because a write to it is about to be; null
   * if there is one already.
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
    // Before anything that callers ask next: a check behind a write might see what that wrote.
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

  /** What was asked again ahead of a write gets its answer there; see {@link NilCheck}. */
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
