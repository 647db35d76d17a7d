package dev.sheaf.embedded.command;

final class HashCommands {
  private HashCommands() {}

  static void register(CommandTable table) {}
}
