package dev.sheaf.embedded.command;

import dev.sheaf.embedded.node.Nodes;
import org.jspecify.annotations.Nullable;

/** A script that runs for so long that other clients are answered meanwhile, with BUSY. */
final class ScriptRun {
  private ScriptRun() {}

  static @Nullable ScriptRun current(Nodes nodes) {
    return null;
  }
}
