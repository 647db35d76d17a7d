/**
 * A proxy that gives the connection to any server the distance and the faults of a network. Start
 * at {@link dev.sheaf.embedded.proxy.LatencyProxy}.
 */
@NullMarked
package dev.sheaf.embedded.proxy;

import org.jspecify.annotations.NullMarked;
