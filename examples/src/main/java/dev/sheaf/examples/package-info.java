/** Small programs that show one thing each; {@code PlainClient} is the one to begin with. */
@NullMarked
package dev.sheaf.examples;

import org.jspecify.annotations.NullMarked;
