/**
 * The data of one node: byte-string keyed tables, the five value types, expiry and slots. Not meant
 * for users; start at {@link dev.sheaf.embedded.data.Database}. Every class here is confined to the
 * server's command thread.
 */
@NullMarked
package dev.sheaf.embedded.data;

import org.jspecify.annotations.NullMarked;
