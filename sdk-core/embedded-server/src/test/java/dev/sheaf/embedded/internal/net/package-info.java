@NullMarked
package dev.sheaf.embedded.internal.net;

import org.jspecify.annotations.NullMarked;
