package dev.sheaf.benchmarks;

/** How keys lie in a cluster. */
public enum Layout {
  /** Over all slots and so over all nodes. */
  SCATTERED("sheaf-bench:", Dataset.KEYS),
  /** All in the slot of one hash tag. */
  TAGGED("{sheaf-bench}:", 10_000);

  private final String[] names;

  Layout(String prefix, int keys) {
    names = new String[keys];
    for (int i = 0; i < keys; i++) {
      names[i] = prefix + (Dataset.KEYS + i);
    }
  }

  /** How many keys there are. */
  int keys() {
    return names.length;
  }

  String key(int index) {
    return names[index];
  }
}
