/** What articles report, measured: no example, but the program behind a page. */
@NullMarked
package dev.sheaf.examples.field;

import org.jspecify.annotations.NullMarked;
