/**
 * The data of one node: byte-string keyed tables, the five value types, expiry and slots. Start at
 * {@link dev.sheaf.embedded.internal.data.Database}. Confined to the command thread.
 */
@NullMarked
package dev.sheaf.embedded.internal.data;

import org.jspecify.annotations.NullMarked;
