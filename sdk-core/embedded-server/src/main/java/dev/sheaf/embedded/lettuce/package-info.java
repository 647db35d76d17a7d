/**
 * Lettuce clients in the JVM of the server. Start at {@link
 * dev.sheaf.embedded.lettuce.InProcessResources}.
 */
@NullMarked
package dev.sheaf.embedded.lettuce;

import org.jspecify.annotations.NullMarked;
