/**
 * Health checks without a PING each: whether Redis can be used right now. Start with {@code
 * Sheaf.availability()}.
 */
@NullMarked
package dev.sheaf.availability;

import org.jspecify.annotations.NullMarked;
