// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

/** How far a command had progressed at its time-out. */
public enum Stage {
  WAITING_FOR_ROOM("waiting for room in the queue"),
  IN_THE_QUEUE("in the queue"),
  EVENT_LOOP_BUSY("event loop busy"),
  NOT_RUNNING("no processor, or garbage collection"),
  UNANSWERED("written and unanswered"),
  SERVER_SLOW("server slow while it answers others"),
  NO_CONNECTION("no connection");

  private final String text;

  Stage(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
