// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A flight recorder event for one command of a slow batch. */
@Name("dev.sheaf.Command")
@Label("Command")
@Category("Sheaf")
@Description("A command of a batch that was longer than the threshold of dev.sheaf.Batch")
@StackTrace(false)
public final class CommandEvent extends Event {

  @Label("Node")
  @Nullable String node;

  @Label("Command")
  @Nullable String command;

  @Label("Microseconds from the write to the last reply of the batch")
  long micros;

  /** Records an event. */
  public static void commit(String node, String command, long micros) {
    CommandEvent event = new CommandEvent();
    if (event.shouldCommit()) {
      event.node = node;
      event.command = command;
      event.micros = micros;
      event.commit();
    }
  }
}
