/** What several parts of the client need, and nobody else. */
@NullMarked
package dev.sheaf.internal.common;

import org.jspecify.annotations.NullMarked;
