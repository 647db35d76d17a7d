/** What articles report, measured: no example, but the program behind a page of the documentation. */
@NullMarked
package dev.sheaf.examples.field;

import org.jspecify.annotations.NullMarked;
