package dev.sheaf.examples.demo;

/** The server that the experiments run on. */
interface TargetServer extends AutoCloseable {

  /** Where clients connect to. */
  String uri();

  /** What it is and how far away, in a sentence for the report. */
  String description();

  /** What stands before every key of the demonstration; may be empty. */
  String keyPrefix();

  /** What the figures of this server mean, in sentences for the report. */
  String countsExplained();

  /** The link of {@link #behindNarrowLink}, in a few words. */
  String narrowLinkExplained();

  /**
   * A server like this one behind a link whose bandwidth is the bottleneck, to be closed by the
   * caller; or this one itself, where there is no way to narrow the link.
   */
  TargetServer behindNarrowLink();

  /** Counts so far, as a mark to count from. */
  Counts mark();

  /** What was counted since a mark, without what marking and asking cost. */
  Counts since(Counts mark);

  @Override
  void close();
}
