/** An in-JVM server that speaks the Redis protocol; start with {@code EmbeddedServer}. */
@NullMarked
package dev.sheaf.embedded;

import org.jspecify.annotations.NullMarked;
