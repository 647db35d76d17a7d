// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

/** A product. */
record Product(long id, String name, long priceCents, String description) {}
