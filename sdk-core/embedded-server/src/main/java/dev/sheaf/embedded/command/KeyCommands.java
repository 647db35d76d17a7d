package dev.sheaf.embedded.command;

final class KeyCommands {
  private KeyCommands() {}

  static void register(CommandTable table) {}
}
