package dev.sheaf.benchmarks;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the comparison was asked to do.
 *
 * @param rounds how often every question is put to every rival
 * @param scope what is asked, and for how long; if {@code only} names questions, the quick one
 *     takes any
 * @param only words of question names; questions that have none of them are left out; empty for all
 * @param clients the rivals; Lettuce always belongs to them, as the ratios refer to it
 * @param ways the ways to read many keys; what the ratios refer to always belongs to them
 * @param out the directory for the results
 * @param virtualJdk the home of the JDK that runs virtual threads; this one's if it can
 * @param help whether only the usage was asked for
 */
record CompareOptions(
    int rounds,
    Scope scope,
    List<String> only,
    Set<Client> clients,
    Set<Way> ways,
    Path out,
    Path virtualJdk,
    boolean help) {

  static final int MAX_ROUNDS = 100;

  static final String USAGE =
      """
      Usage: java -jar benchmarks/target/benchmarks.jar compare [options]

      Without options all questions are put to all rivals, which takes hours.

        --targets         what Sheaf is meant to reach, with the rivals of each target: half an
                          hour; writes targets.json
        --details         percentiles, sizes of values, storms of PINGs, system calls, and where
                          time goes: ten minutes; writes details.json
        --quick           short iterations, and the main questions only unless --only names some:
                          five minutes
        --rounds N        put every question N times to every rival; 3 by default, 2 with --quick
                          and --details
        --only A,B        only questions with the words A or B in their name: many-keys, cluster-64
        --clients A,B     only these rivals (LETTUCE is always one), e.g. LETTUCE,SHEAF
        --ways A,B        only these ways to read many keys, e.g. MANY_KEY_CALL,READ_AHEAD
        --virtual-jdk DIRECTORY  the JDK for the questions about virtual threads, 21 or newer;
                          without one, and on an older one, they are left out
        --out DIRECTORY   where results.json, results.md and its plots go; by default beside the
                          jar
        --help            this text

      Servers are started for it. To use others: -Dredis.uri=redis://host:port and
      -Dredis.cluster.uri=redis://host:port before -jar.
      Any other first argument than "compare" is handed to JMH.""";

  /**
   * Reads the arguments after {@code compare}.
   *
   * @throws IllegalArgumentException if one is wrong; the message says which and what is allowed
   */
  static CompareOptions parse(String... args) {
    Parser parser = new Parser(args);
    while (parser.hasNext()) {
      parser.next();
    }
    return parser.options();
  }

  /** Whether a question of that name is asked for: its name, or whole words of it. */
  boolean asks(String question) {
    return only.isEmpty()
        || only.stream().anyMatch(part -> ("-" + question + "-").contains("-" + part + "-"));
  }

  /** Whether only the main questions are to be put, to the main rivals. */
  boolean mainOnly() {
    return scope == Scope.QUICK && only.isEmpty();
  }

  /** The command that repeats it. */
  String command() {
    StringBuilder command =
        new StringBuilder("java -jar benchmarks/target/benchmarks.jar compare --rounds ")
            .append(rounds);
    if (!scope.word().isEmpty()) {
      command.append(" --").append(scope.word());
    }
    if (!only.isEmpty()) {
      command.append(" --only ").append(String.join(",", only));
    }
    if (clients.size() < Client.values().length) {
      command.append(" --clients ");
      command.append(String.join(",", clients.stream().map(Client::name).toList()));
    }
    if (ways.size() < Way.values().length) {
      command.append(" --ways ");
      command.append(String.join(",", ways.stream().map(Way::name).toList()));
    }
    if (!virtualJdk.equals(ChildJvm.ownHome())) {
      // Where it lies is nobody's business; which one it was stands beside the command.
      command.append(" --virtual-jdk DIRECTORY");
    }
    return command.toString();
  }

  private static final class Parser {

    private final String[] args;
    private int position;
    private @Nullable Integer rounds;
    private Scope scope = Scope.FULL;
    private List<String> only = List.of();
    private Set<Client> clients = EnumSet.allOf(Client.class);
    private Set<Way> ways = EnumSet.allOf(Way.class);
    private Path out = Beside.jar();
    private Path virtualJdk = ChildJvm.ownHome();
    private boolean help;

    Parser(String[] args) {
      this.args = args;
    }

    boolean hasNext() {
      return position < args.length;
    }

    void next() {
      String option = args[position++];
      switch (option) {
        case "--rounds" -> rounds = number(option, MAX_ROUNDS);
        case "--quick" -> scope = only(Scope.QUICK);
        case "--targets" -> scope = only(Scope.TARGETS);
        case "--details" -> scope = only(Scope.DETAILS);
        case "--only" -> only = names(option);
        case "--clients" -> clients = clients(option);
        case "--ways" -> ways = ways(option);
        case "--out" -> out = path(option);
        case "--virtual-jdk" -> virtualJdk = VirtualThreads.jdk(option, path(option));
        case "--help" -> help = true;
        default -> throw new IllegalArgumentException("Unknown option " + option);
      }
    }

    CompareOptions options() {
      return new CompareOptions(
          rounds == null ? scope.rounds() : rounds,
          scope,
          only,
          clients,
          ways,
          out,
          virtualJdk,
          help);
    }

    private Scope only(Scope wanted) {
      if (scope != Scope.FULL && scope != wanted) {
        throw new IllegalArgumentException(
            "--" + scope.word() + " and --" + wanted.word() + " exclude one another");
      }
      return wanted;
    }

    private String value(String option) {
      if (!hasNext()) {
        throw new IllegalArgumentException(option + " needs a value after it");
      }
      return args[position++];
    }

    private int number(String option, int max) {
      String value = value(option);
      try {
        int number = Integer.parseInt(value);
        if (number >= 1 && number <= max) {
          return number;
        }
      } catch (NumberFormatException e) {
        // The message below says it.
      }
      throw new IllegalArgumentException(
          option + " must be a number from 1 to " + max + ", but was " + value);
    }

    private List<String> names(String option) {
      List<String> names = new ArrayList<>();
      for (String name : value(option).split(",")) {
        if (!name.isBlank()) {
          names.add(name.trim());
        }
      }
      if (names.isEmpty()) {
        throw new IllegalArgumentException(option + " must name something, but was empty");
      }
      return names;
    }

    private Set<Client> clients(String option) {
      Set<Client> chosen = EnumSet.of(Client.LETTUCE);
      for (String name : names(option)) {
        try {
          chosen.add(Client.valueOf(name.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(
              option + " must be of " + List.of(Client.values()) + ", but was " + name, e);
        }
      }
      return chosen;
    }

    private Set<Way> ways(String option) {
      Set<Way> chosen = EnumSet.noneOf(Way.class);
      for (String name : names(option)) {
        try {
          chosen.add(Way.valueOf(name.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(
              option + " must be of " + List.of(Way.values()) + ", but was " + name, e);
        }
      }
      return chosen;
    }

    private Path path(String option) {
      String value = value(option);
      try {
        return Path.of(value);
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException(
            option + " must be a directory, but was " + value + ": " + e.getReason(), e);
      }
    }
  }
}
