/** What the application called, told to Lettuce's tracing; and why it took so long. */
@NullMarked
package dev.sheaf.internal.observe;

import org.jspecify.annotations.NullMarked;
