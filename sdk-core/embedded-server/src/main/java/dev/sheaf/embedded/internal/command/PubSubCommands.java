// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.PubSub;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** SUBSCRIBE, PUBLISH and related commands. */
final class PubSubCommands {
  static void register(Handlers handlers) {
    handlers
        .add("psubscribe", call -> subscribe(call, Kind.PATTERN))
        .add("publish", PubSubCommands::publish)
        .add("pubsub|channels", call -> channels(call, call.node.pubSub.channels))
        .add("pubsub|numpat", call -> call.out.integer(call.node.pubSub.patterns.size()))
        .add("pubsub|numsub", call -> counts(call, call.node.pubSub.channels))
        .add("pubsub|shardchannels", call -> channels(call, call.node.pubSub.shardChannels))
        .add("pubsub|shardnumsub", call -> counts(call, call.node.pubSub.shardChannels))
        .add("punsubscribe", call -> unsubscribe(call, Kind.PATTERN))
        .add("spublish", PubSubCommands::publishShard)
        .add("ssubscribe", call -> subscribe(call, Kind.SHARD))
        .add("subscribe", call -> subscribe(call, Kind.CHANNEL))
        .add("sunsubscribe", call -> unsubscribe(call, Kind.SHARD))
        .add("unsubscribe", call -> unsubscribe(call, Kind.CHANNEL));
  }

  private enum Kind {
    CHANNEL("subscribe", "unsubscribe"),
    PATTERN("psubscribe", "punsubscribe"),
    SHARD("ssubscribe", "sunsubscribe");

    final String joined;
    final String left;

    Kind(String joined, String left) {
      this.joined = joined;
      this.left = left;
    }

    ByteMap<Set<Client>> registry(ServerNode node) {
      return switch (this) {
        case CHANNEL -> node.pubSub.channels;
        case PATTERN -> node.pubSub.patterns;
        case SHARD -> node.pubSub.shardChannels;
      };
    }

    ByteMap<Boolean> own(Client client) {
      return switch (this) {
        case CHANNEL -> client.channels;
        case PATTERN -> client.patterns;
        case SHARD -> client.shardChannels;
      };
    }

    int count(Client client) {
      return this == SHARD ? client.shardChannels.size() : client.subscriptions();
    }
  }

  private static void subscribe(Call call, Kind kind) {
    Client client = call.client;
    for (byte[] channel : call.from(1)) {
      PubSub.add(kind.registry(call.node), kind.own(client), client, channel);
      tell(client, kind, kind.joined, channel);
    }
  }

  /** A message, not a reply: CLIENT REPLY does not suppress it. */
  private static void tell(Client client, Kind kind, String what, byte @Nullable [] channel) {
    Reply out = client.pushes();
    out.push(3);
    out.bulk(what);
    out.bulkOrNil(channel);
    out.integer(kind.count(client));
  }

  private static void unsubscribe(Call call, Kind kind) {
    Client client = call.client;
    List<byte[]> channels = new ArrayList<>(call.from(1));
    if (channels.isEmpty()) {
      for (var e = kind.own(client).first(); e != null; e = e.after()) {
        channels.add(e.key);
      }
    }
    for (byte[] channel : channels) {
      PubSub.remove(kind.registry(call.node), kind.own(client), client, channel);
      tell(client, kind, kind.left, channel);
    }
    if (channels.isEmpty()) {
      tell(client, kind, kind.left, null);
    }
  }

  /** In a cluster, subscribers of all nodes receive it. The count is that of this node. */
  private static void publish(Call call) {
    for (ServerNode node : call.node.nodes.all()) {
      if (node != call.node) {
        node.pubSub.publish(call.arg(1), call.arg(2));
      }
    }
    call.out.integer(call.node.pubSub.publish(call.arg(1), call.arg(2)));
  }

  private static void publishShard(Call call) {
    ServerNode primary = call.node.primary();
    List<ServerNode> shard = new ArrayList<>(primary.replicas);
    shard.add(primary);
    for (ServerNode node : shard) {
      if (node != call.node) {
        node.pubSub.publishShard(call.arg(1), call.arg(2));
      }
    }
    call.out.integer(call.node.pubSub.publishShard(call.arg(1), call.arg(2)));
  }

  private static void channels(Call call, ByteMap<Set<Client>> registry) {
    Errors.syntaxIf(call.count() > 3);
    List<byte[]> found = new ArrayList<>();
    for (var e = registry.first(); e != null; e = e.after()) {
      if (call.count() == 2 || Glob.matches(call.arg(2), e.key)) {
        found.add(e.key);
      }
    }
    call.out.bulks(found);
  }

  private static void counts(Call call, ByteMap<Set<Client>> registry) {
    call.out.array((call.count() - 2) * 2);
    for (int i = 2; i < call.count(); i++) {
      Set<Client> clients = registry.get(call.arg(i));
      call.out.bulk(call.arg(i));
      call.out.integer(clients == null ? 0 : clients.size());
    }
  }
}
