/**
 * What a node is besides its data: its clients, role, slots, subscriptions, blocked clients,
 * configuration and counters. Not meant for users; start at {@link
 * dev.sheaf.embedded.node.ServerNode}.
 */
@NullMarked
package dev.sheaf.embedded.node;

import org.jspecify.annotations.NullMarked;
