/** Tests of the protocol decoder. */
@NullMarked
package dev.sheaf.embedded.net;

import org.jspecify.annotations.NullMarked;
