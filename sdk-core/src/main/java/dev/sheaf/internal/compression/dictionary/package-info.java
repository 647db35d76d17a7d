/**
 * Trained dictionaries: what they are, how they are learned from values, and where they are kept.
 */
@NullMarked
package dev.sheaf.internal.compression.dictionary;

import org.jspecify.annotations.NullMarked;
