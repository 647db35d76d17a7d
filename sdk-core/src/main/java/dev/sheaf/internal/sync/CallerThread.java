package dev.sheaf.internal.sync;

/** What a client remembers of one thread that calls it. Confined to that thread. */
public final class CallerThread {

  private final OpenLoops loops = new OpenLoops();
  private final CallRuns runs = new CallRuns();
  private int mapEachDepth;

  OpenLoops loops() {
    return loops;
  }

  CallRuns runs() {
    return runs;
  }

  /** Whether it runs a body of {@code Sheaf.mapEach}, whose round trips others share. */
  boolean isMapping() {
    return mapEachDepth > 0;
  }

  void beginMapping() {
    mapEachDepth++;
  }

  void endMapping() {
    mapEachDepth--;
  }
}
