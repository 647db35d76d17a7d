package dev.sheaf.internal.availability;

/** A node with its guard. */
record WatchedNode(NodeGuard guard, NodeSource.Node node) {}
