/**
 * How a client is put together: from its options and a server to a {@link dev.sheaf.Sheaf} over a
 * connection.
 */
@NullMarked
package dev.sheaf.internal.client;

import org.jspecify.annotations.NullMarked;
