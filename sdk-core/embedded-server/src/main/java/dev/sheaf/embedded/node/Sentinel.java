package dev.sheaf.embedded.node;

import dev.sheaf.embedded.data.Bytes;

/** What a sentinel knows: the name of a master, and the nodes among which it is found. */
public final class Sentinel {
  private final String masterName;
  private final Nodes watched;

  /** {@code self} announces each failover to its subscribers. */
  public Sentinel(ServerNode self, String masterName, Nodes watched) {
    this.masterName = masterName;
    this.watched = watched;
    watched.onFailover(
        (from, to) -> {
          String message = masterName + " " + address(from) + " " + address(to);
          self.pubSub().publish(Bytes.of("+switch-master"), Bytes.of(message));
        });
  }

  private static String address(ServerNode node) {
    return node.announcedHost() + " " + node.announcedPort();
  }

  public String masterName() {
    return masterName;
  }

  public ServerNode master() {
    return watched.all().stream().filter(ServerNode::isMaster).findFirst().orElseThrow();
  }
}
