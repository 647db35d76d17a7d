/**
 * What a node is besides its data: its clients, role, slots, subscriptions, blocked clients,
 * configuration and counters. Start at {@link dev.sheaf.embedded.internal.node.ServerNode}.
 */
@NullMarked
package dev.sheaf.embedded.internal.node;

import org.jspecify.annotations.NullMarked;
