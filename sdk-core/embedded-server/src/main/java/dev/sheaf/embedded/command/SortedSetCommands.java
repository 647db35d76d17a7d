package dev.sheaf.embedded.command;

final class SortedSetCommands {
  private SortedSetCommands() {}

  static void register(CommandTable table) {}
}
