/**
 * What packages of the client share that know nothing of each other.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.common;

import org.jspecify.annotations.NullMarked;
