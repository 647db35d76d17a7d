/**
 * One command in Sheaf's hands: the caller's command with its request bytes ({@code
 * EncodedCommand}), and what a command may change or be repeated for. Knows nothing of connections.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.command;

import org.jspecify.annotations.NullMarked;
