/**
 * Utilities shared by packages of the client.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.common;

import org.jspecify.annotations.NullMarked;
