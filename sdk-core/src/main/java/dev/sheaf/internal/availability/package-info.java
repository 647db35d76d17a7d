/** The availability guard: its connections, its PINGs and what follows from their answers. */
@NullMarked
package dev.sheaf.internal.availability;

import org.jspecify.annotations.NullMarked;
