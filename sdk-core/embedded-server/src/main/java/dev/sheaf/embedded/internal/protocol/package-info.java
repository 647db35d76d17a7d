/**
 * What clients and server say to each other: requests, replies, and the table that describes every
 * command, whatever it does. Start at {@link dev.sheaf.embedded.internal.protocol.CommandTable}.
 */
@NullMarked
package dev.sheaf.embedded.internal.protocol;

import org.jspecify.annotations.NullMarked;
