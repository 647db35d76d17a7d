/**
 * Sockets and the RESP protocol. Not meant for users; start at {@link
 * dev.sheaf.embedded.net.Listener}.
 */
@NullMarked
package dev.sheaf.embedded.net;

import org.jspecify.annotations.NullMarked;
