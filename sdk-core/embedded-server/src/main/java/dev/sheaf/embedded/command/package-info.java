/**
 * The commands: one table that drives dispatch, arity, COMMAND, slot routing, MULTI and the docs,
 * and one file of handlers per group. Not meant for users; start at {@link
 * dev.sheaf.embedded.command.CommandTable} and {@link dev.sheaf.embedded.command.Dispatcher}.
 */
@NullMarked
package dev.sheaf.embedded.command;

import org.jspecify.annotations.NullMarked;
