package dev.sheaf.embedded.command;

final class PubSubCommands {
  private PubSubCommands() {}

  static void register(CommandTable table) {}
}
