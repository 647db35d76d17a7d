package dev.sheaf.examples.demo;

import java.util.List;

/** A piece of work from the field that can be done in several ways. One class each. */
interface Experiment {

  /** As tables and reports name it. */
  String name();

  /** The work, in a sentence for the report. */
  String description();

  /** The outcome that every way must have, known from the data and not from a server. */
  List<?> expected();

  /** The outcome of a way that does a part of the work only. */
  default List<?> expected(Way way) {
    return expected();
  }

  /** Stores what the work needs on the server; not measured. */
  default void prepare(Clients clients) {}

  /** The server whose counts are those of the work, once that is prepared. */
  default TargetServer server(TargetServer otherwise) {
    return otherwise;
  }

  /** Removes what was stored, whatever became of the work. */
  default void cleanUp(Clients clients) {}

  /** The ways; the first is the naive one, against which the others are compared. */
  List<Way> ways(Clients clients);
}
