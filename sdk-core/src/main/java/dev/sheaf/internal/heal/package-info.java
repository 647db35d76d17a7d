/** Detects connections that do not recover, and closes them so that they are opened again. */
@NullMarked
package dev.sheaf.internal.heal;

import org.jspecify.annotations.NullMarked;
