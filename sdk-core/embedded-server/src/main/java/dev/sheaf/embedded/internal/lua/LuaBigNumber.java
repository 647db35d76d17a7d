// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/**
 * A RESP3 big number.
 *
 * @param digits the digits as sent; a script may send anything
 */
public record LuaBigNumber(String digits) {}
