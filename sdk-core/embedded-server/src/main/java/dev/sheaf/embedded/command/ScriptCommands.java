package dev.sheaf.embedded.command;

final class ScriptCommands {
  private ScriptCommands() {}

  static void register(CommandTable table) {}
}
