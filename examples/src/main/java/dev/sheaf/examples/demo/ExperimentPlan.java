package dev.sheaf.examples.demo;

import java.util.List;

/** Which experiments are run, and what they need. */
interface ExperimentPlan {

  /** The experiments, in the order to run and to show them. */
  List<Experiment> experiments(Documents documents, TargetServer server);

  /** How many keys with documents the experiments need at least. */
  int minKeys();
}
