/** Puts Sheaf into an application, as its properties say. */
@NullMarked
package dev.sheaf.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
