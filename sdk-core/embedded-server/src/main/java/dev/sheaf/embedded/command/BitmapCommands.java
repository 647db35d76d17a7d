package dev.sheaf.embedded.command;

final class BitmapCommands {
  private BitmapCommands() {}

  static void register(CommandTable table) {}
}
