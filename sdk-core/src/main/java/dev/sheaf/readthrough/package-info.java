/**
 * Cache-aside reads: Redis first, and the source of the data for what Redis does not give. Start
 * with {@code Sheaf.readThrough}.
 */
@NullMarked
package dev.sheaf.readthrough;

import org.jspecify.annotations.NullMarked;
