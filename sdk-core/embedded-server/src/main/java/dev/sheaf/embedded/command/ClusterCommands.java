package dev.sheaf.embedded.command;

final class ClusterCommands {
  private ClusterCommands() {}

  static void register(CommandTable table) {}
}
