/** How a connection that stays broken is found, closed and made anew. */
@NullMarked
package dev.sheaf.internal.heal;

import org.jspecify.annotations.NullMarked;
