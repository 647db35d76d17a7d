/** The demonstration: the same work, one by one and in batches; it begins in {@code Demo}. */
@NullMarked
package dev.sheaf.examples.demo;

import org.jspecify.annotations.NullMarked;
