/**
 * Cache-aside reads: Redis first, and the data source for missing values. Start with {@code
 * Sheaf.readThrough}.
 */
@NullMarked
package dev.sheaf.readthrough;

import org.jspecify.annotations.NullMarked;
