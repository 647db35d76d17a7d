// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Glob;
import java.util.LinkedHashSet;
import java.util.Set;

/** The subscriptions of a node's clients. */
public final class PubSub {
  private static final byte[] MESSAGE = Bytes.of("message");
  private static final byte[] PATTERN_MESSAGE = Bytes.of("pmessage");
  private static final byte[] SHARD_MESSAGE = Bytes.of("smessage");

  public final ByteMap<Set<Client>> channels = new ByteMap<>();
  public final ByteMap<Set<Client>> patterns = new ByteMap<>();
  public final ByteMap<Set<Client>> shardChannels = new ByteMap<>();

  public static boolean add(
      ByteMap<Set<Client>> registry, ByteMap<Boolean> own, Client client, byte[] channel) {
    if (own.put(channel, Boolean.TRUE) != null) {
      return false;
    }
    return registry.computeIfAbsent(channel, LinkedHashSet::new).add(client);
  }

  public static boolean remove(
      ByteMap<Set<Client>> registry, ByteMap<Boolean> own, Client client, byte[] channel) {
    if (own.remove(channel) == null) {
      return false;
    }
    Set<Client> clients = registry.get(channel);
    if (clients != null) {
      clients.remove(client);
      if (clients.isEmpty()) {
        registry.remove(channel);
      }
    }
    return true;
  }

  /** Delivers a message to this node's subscribers. Returns their number. */
  public int publish(byte[] channel, byte[] message) {
    int receivers = 0;
    Set<Client> direct = channels.get(channel);
    if (direct != null) {
      for (Client client : direct) {
        client.pushes().pushed(MESSAGE, channel, message);
        receivers++;
      }
    }
    for (var e = patterns.first(); e != null; e = e.after()) {
      if (Glob.matches(e.key, channel)) {
        for (Client client : e.value()) {
          client.pushes().pushed(PATTERN_MESSAGE, e.key, channel, message);
          receivers++;
        }
      }
    }
    return receivers;
  }

  /** As {@link #publish} for a shard channel. */
  public int publishShard(byte[] channel, byte[] message) {
    Set<Client> direct = shardChannels.get(channel);
    if (direct == null) {
      return 0;
    }
    direct.forEach(client -> client.pushes().pushed(SHARD_MESSAGE, channel, message));
    return direct.size();
  }

  /** Unsubscribes without messages, for a client that disconnects or resets. */
  public void unsubscribeEverything(Client client) {
    drop(channels, client.channels, client);
    drop(patterns, client.patterns, client);
    drop(shardChannels, client.shardChannels, client);
  }

  private static void drop(ByteMap<Set<Client>> registry, ByteMap<Boolean> own, Client client) {
    for (var e = own.first(); e != null; e = own.first()) {
      remove(registry, own, client, e.key);
    }
  }
}
