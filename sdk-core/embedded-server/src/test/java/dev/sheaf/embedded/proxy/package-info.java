@NullMarked
package dev.sheaf.embedded.proxy;

import org.jspecify.annotations.NullMarked;
