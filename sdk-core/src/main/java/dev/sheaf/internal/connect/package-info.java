/**
 * Lettuce's clients and connections, adapted to pass their commands to {@code
 * dev.sheaf.internal.pipeline}, and the parsing, resolving and error reporting needed to connect.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.connect;

import org.jspecify.annotations.NullMarked;
