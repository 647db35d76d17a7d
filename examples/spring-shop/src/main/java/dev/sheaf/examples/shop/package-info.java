/**
 * A shop whose pages are read from Redis in a loop. The entry point is {@link
 * dev.sheaf.examples.shop.ShopApplication}.
 */
@NullMarked
package dev.sheaf.examples.shop;

import org.jspecify.annotations.NullMarked;
