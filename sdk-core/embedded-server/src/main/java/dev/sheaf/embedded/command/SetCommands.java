package dev.sheaf.embedded.command;

final class SetCommands {
  private SetCommands() {}

  static void register(CommandTable table) {}
}
