/**
 * The demonstration: real documents, the same work the naive way and in batches, measured and
 * reported; it begins in {@code Demo}.
 */
@NullMarked
package dev.sheaf.examples.demo;

import org.jspecify.annotations.NullMarked;
