/** Tests of the embedded server; {@code EmbeddedServerTest} shows its use. */
@NullMarked
package dev.sheaf.embedded;

import org.jspecify.annotations.NullMarked;
