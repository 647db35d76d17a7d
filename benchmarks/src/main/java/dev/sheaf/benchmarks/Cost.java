package dev.sheaf.benchmarks;

/** What is counted for each operation beside its time. */
enum Cost {
  COMMANDS_PER_READ("server.commands.per.read", "commands/read"),
  COMMANDS("server.commands", "commands/op"),
  SERVER_READS("server.reads", "reads/op"),
  SERVER_CPU("server.cpu", "us/op"),
  CLIENT_CPU("client.cpu", "us/op"),
  CLIENT_ALLOCATION("client.allocation", "B/op");

  private final String label;
  private final String unit;

  Cost(String label, String unit) {
    this.label = label;
    this.unit = unit;
  }

  String label() {
    return label;
  }

  String unit() {
    return unit;
  }
}
