// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

/**
 * What the scripts of one client share.
 *
 * @param host the client
 * @param nodes the primaries it is connected to
 * @param meters what is reported
 * @param loader what brings texts to the nodes
 */
record ScriptParts<K, V>(
    ScriptHost<K, V> host, Nodes<K, V> nodes, ScriptMeters meters, ScriptLoader<K, V> loader) {

  static <K, V> ScriptParts<K, V> of(ScriptHost<K, V> host) {
    Nodes<K, V> nodes = new Nodes<>(host.connection());
    ScriptMeters meters = new ScriptMeters(host.meterRegistry(), host.name());
    return new ScriptParts<>(host, nodes, meters, new ScriptLoader<>(host, nodes, meters));
  }
}
