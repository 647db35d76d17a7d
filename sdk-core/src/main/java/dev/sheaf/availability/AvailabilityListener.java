package dev.sheaf.availability;

/** A listener to changes of a node, or of Redis as a whole, between UP, SLOW and DOWN. */
@FunctionalInterface
public interface AvailabilityListener {

  /**
   * Called after a change: one call at a time, in the order of the changes, on a thread of the
   * client. It must not block, since other listeners wait; what it throws is logged and dropped.
   */
  void changed(AvailabilityChange change);
}
