/**
 * The sockets and the thread that serves them. Start at {@link
 * dev.sheaf.embedded.internal.net.Listener}.
 */
@NullMarked
package dev.sheaf.embedded.internal.net;

import org.jspecify.annotations.NullMarked;
