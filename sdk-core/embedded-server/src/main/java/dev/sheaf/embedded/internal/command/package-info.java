/**
 * What each command does, one file of handlers for each group, and the way of a request from its
 * arrival to its reply. Start at {@link dev.sheaf.embedded.internal.command.Commands} and {@link
 * dev.sheaf.embedded.internal.command.Dispatcher}.
 */
@NullMarked
package dev.sheaf.embedded.internal.command;

import org.jspecify.annotations.NullMarked;
