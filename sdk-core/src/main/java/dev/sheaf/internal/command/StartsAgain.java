// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

/**
 * An output that discards what it has when a reply begins. So its read can be sent again after a
 * connection was lost in the middle of the reply.
 */
public interface StartsAgain {}
