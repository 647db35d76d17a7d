// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.acl.AclUser;
import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.NoReply;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of one client session on one node. */
public final class Client {
  /** The modes of CLIENT REPLY. */
  public enum ReplyMode {
    ON,
    OFF,
    SKIP_NEXT,
    SKIPPING
  }

  /** A command queued in a transaction. */
  public record Queued(Command command, byte[][] args) {}

  public final long id;

  /** Null for a replica's link from its master. */
  public final @Nullable Connection connection;

  public final long createdAt;

  public int dbIndex;
  private int protocol = 2;
  public boolean authenticated;

  /** The user with the session's permissions. */
  public AclUser user;

  public String name = "";
  public String libName = "";
  public String libVersion = "";
  public ReplyMode replyMode = ReplyMode.ON;
  private long lastUsedAt;
  private @Nullable Command lastCommand;
  public boolean asking;
  public boolean readOnlyMode;
  private boolean closing;

  private @Nullable List<Queued> queue;
  private boolean queueBroken;
  private boolean watchBroken;
  public final List<WatchedKey> watches = new ArrayList<>();

  public final ByteMap<Boolean> channels = new ByteMap<>();
  public final ByteMap<Boolean> patterns = new ByteMap<>();
  public final ByteMap<Boolean> shardChannels = new ByteMap<>();

  public @Nullable BlockedClient blocked;
  @Nullable Client scriptSession;

  Client(long id, AclUser user, @Nullable Connection connection, long now) {
    this.id = id;
    this.connection = connection;
    this.createdAt = now;
    this.user = user;
    this.lastUsedAt = now;
  }

  public boolean isMasterLink() {
    return connection == null;
  }

  /** Receives replies, according to CLIENT REPLY. */
  public Reply reply() {
    return connection == null || replyMode == ReplyMode.OFF || replyMode == ReplyMode.SKIPPING
        ? NoReply.INSTANCE
        : connection.reply();
  }

  /** Receives pushed messages, which CLIENT REPLY does not suppress. */
  public Reply pushes() {
    return connection == null ? NoReply.INSTANCE : connection.reply();
  }

  public int protocol() {
    return protocol;
  }

  public void protocol(int version) {
    protocol = version;
    if (connection != null) {
      connection.protocol(version);
    }
  }

  public long lastUsedAt() {
    return lastUsedAt;
  }

  public @Nullable Command lastCommand() {
    return lastCommand;
  }

  public void used(long now, Command command) {
    lastUsedAt = now;
    lastCommand = command;
  }

  /** Closes its connection. If the client's own command does so, the replies before it are sent. */
  public void end(boolean byItself) {
    if (connection != null && byItself) {
      connection.closeAfterReplies();
    } else if (connection != null) {
      connection.close();
    }
  }

  /** Continues with the requests that arrived while it was blocked. */
  public void resume() {
    if (connection != null) {
      connection.resume();
    }
  }

  public boolean isClosing() {
    return closing;
  }

  public void closing() {
    closing = true;
  }

  /** The queue of an open transaction; null outside of one. */
  public @Nullable List<Queued> queue() {
    return queue;
  }

  public void openTransaction() {
    queue = new ArrayList<>();
  }

  public boolean isQueueBroken() {
    return queueBroken;
  }

  /** Records that a command of the open transaction was refused: EXEC must abort. */
  public void breakQueue() {
    if (queue != null) {
      queueBroken = true;
    }
  }

  public boolean isWatchBroken() {
    return watchBroken;
  }

  public void breakWatch() {
    watchBroken = true;
  }

  void dropQueue() {
    queue = null;
    queueBroken = false;
  }

  public void watchesCleared() {
    watches.clear();
    watchBroken = false;
  }

  public int subscriptions() {
    return channels.size() + patterns.size();
  }

  public boolean isSubscriber() {
    return subscriptions() + shardChannels.size() > 0;
  }

  void reset(AclUser standard) {
    dbIndex = 0;
    protocol(2);
    user = standard;
    authenticated = user.accepts("");
    name = "";
    replyMode = ReplyMode.ON;
    asking = false;
    readOnlyMode = false;
  }
}
