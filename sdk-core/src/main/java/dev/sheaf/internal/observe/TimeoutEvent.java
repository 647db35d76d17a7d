// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A flight recorder event for a command that timed out. */
@Name("dev.sheaf.Timeout")
@Label("Time-out")
@Category("Sheaf")
@Description("A command was not answered in time")
@StackTrace(false)
public final class TimeoutEvent extends Event {

  @Label("Command")
  @Nullable String command;

  @Label("Node")
  @Nullable String node;

  @Label("Stage")
  @Nullable String stage;

  @Label("Details")
  @Nullable String details;

  @Label("Time-out in milliseconds")
  long timeoutMillis;

  /** Records an event. */
  public static void commit(String command, String byNode, Lateness why, long timeoutMillis) {
    TimeoutEvent event = new TimeoutEvent();
    if (event.shouldCommit()) {
      event.command = command;
      event.node = byNode.startsWith(" by ") ? byNode.substring(4) : byNode;
      event.stage = why.stage().name();
      event.details = why.details();
      event.timeoutMillis = timeoutMillis;
      event.commit();
    }
  }
}
