package dev.sheaf.embedded.command;

final class TransactionCommands {
  private TransactionCommands() {}

  static void register(CommandTable table) {}
}
