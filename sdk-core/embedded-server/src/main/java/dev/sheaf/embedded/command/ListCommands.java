package dev.sheaf.embedded.command;

final class ListCommands {
  private ListCommands() {}

  static void register(CommandTable table) {}
}
