// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.proxy;

/**
 * The counters of a proxy.
 *
 * @param connections connections accepted
 * @param bytesToServer bytes delivered to the server
 * @param bytesToClient bytes delivered to clients
 * @param roundTrips turns, summed over connections: how often a client sent first, or sent again
 *     after something had been delivered to it. Sixteen pipelined commands are one turn; sixteen
 *     commands that each wait for their reply are sixteen
 * @param bytesInFlight bytes held now, in both directions
 */
public record ProxyStats(
    long connections,
    long bytesToServer,
    long bytesToClient,
    long roundTrips,
    long bytesInFlight) {}
