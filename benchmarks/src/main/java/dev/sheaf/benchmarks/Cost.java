package dev.sheaf.benchmarks;

/** What is counted for each operation beside its time. */
enum Cost {
  COMMANDS_PER_READ("server.commands.per.read", "commands/read", "commands per server read"),
  COMMANDS("server.commands", "commands/op", "commands"),
  SERVER_READS("server.reads", "reads/op", "server reads"),
  CLIENT_WRITES("client.writes", "writes/op", "client writes"),
  CLIENT_READS("client.reads", "reads/op", "client reads"),
  SERVER_CPU("server.cpu", "us/op", "server CPU us"),
  CLIENT_CPU("client.cpu", "us/op", "client CPU us"),
  CLIENT_ALLOCATION("client.allocation", "B/op", "client bytes allocated");

  private final String label;
  private final String unit;
  private final String heading;

  Cost(String label, String unit, String heading) {
    this.label = label;
    this.unit = unit;
    this.heading = heading;
  }

  String label() {
    return label;
  }

  String unit() {
    return unit;
  }

  /** How results name it. */
  String key() {
    return label + " " + unit;
  }

  /** How tables name it. */
  String heading() {
    return heading;
  }
}
