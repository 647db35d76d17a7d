// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import java.util.List;

/** Undoes what a queue did to commands, so that a test can queue them again. */
public final class Links {

  private Links() {}

  /** Takes the commands out of whatever they are linked to. Nothing may use them meanwhile. */
  public static void cut(List<? extends EncodedCommand<?, ?, ?>> commands) {
    commands.forEach(command -> command.linkTo(null));
  }
}
