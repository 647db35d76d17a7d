// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A flight recorder event for a batch: from its write to the last reply. */
@Name("dev.sheaf.Batch")
@Label("Batch")
@Category("Sheaf")
@Description("Commands that were written together, from the write to the last reply")
@StackTrace(false)
@Threshold("10 ms")
public final class BatchEvent extends Event {

  @Label("Node")
  @Nullable String node;

  @Label("Commands")
  int commands;

  @Label("Fused commands")
  int fused;

  @Label("Request bytes")
  long bytes;

  /** Starts an event; null unless the flight recorder wants it. */
  public static @Nullable BatchEvent begun() {
    BatchEvent event = new BatchEvent();
    if (!event.isEnabled()) {
      return null;
    }
    event.begin();
    return event;
  }

  /**
   * Records the event if the batch exceeded the threshold.
   *
   * @return whether it did
   */
  public boolean commit(String ofNode, int ofCommands, int ofFused, long ofBytes) {
    end();
    if (!shouldCommit()) {
      return false;
    }
    node = ofNode;
    commands = ofCommands;
    fused = ofFused;
    bytes = ofBytes;
    commit();
    return true;
  }
}
