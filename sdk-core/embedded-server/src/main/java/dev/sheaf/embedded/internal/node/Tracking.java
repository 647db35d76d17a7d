// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Client-side caching of one node: records what clients have read, and invalidates it on changes.
 */
public final class Tracking {
  private static final byte[] CHANNEL = Bytes.of("__redis__:invalidate");

  /** The tracking mode of one client. */
  public static final class Mode {
    /** Whether a client opts in to (IN) or out of (OUT) tracking its reads. */
    public enum Opt {
      ALL,
      IN,
      OUT
    }

    public final boolean broadcast;
    public final Opt opt;
    public final boolean noLoop;

    /** The client that receives the messages; zero for the client itself. */
    public final long redirect;

    /** The prefixes of broadcast mode. */
    public final Set<byte[]> prefixes = new TreeSet<>(Arrays::compareUnsigned);

    /** The CLIENT CACHING choice for the next command. */
    public boolean caching;

    public boolean redirectBroken;

    public Mode(boolean broadcast, Opt opt, boolean noLoop, long redirect) {
      this.broadcast = broadcast;
      this.opt = opt;
      this.noLoop = noLoop;
      this.redirect = redirect;
    }

    boolean remembersReads() {
      return !broadcast
          && switch (opt) {
            case ALL -> true;
            case IN -> caching;
            case OUT -> !caching;
          };
    }

    boolean covers(byte[] key) {
      return prefixes.stream().anyMatch(prefix -> startsWith(key, prefix));
    }
  }

  private final Executor thread;
  private final LongFunction<@Nullable Client> clientsById;

  /** The most keys that are tracked, the oldest is dropped first; zero for no limit. */
  private final LongSupplier maxKeys;

  private final ByteMap<Set<Client>> readers = new ByteMap<>();
  private final Map<Client, Mode> modes = new LinkedHashMap<>();
  private final List<Runnable> pending = new ArrayList<>();
  private final Map<Client, Set<byte[]>> broadcasts = new LinkedHashMap<>();

  Tracking(Executor thread, LongFunction<@Nullable Client> clientsById, LongSupplier maxKeys) {
    this.thread = thread;
    this.clientsById = clientsById;
    this.maxKeys = maxKeys;
  }

  public @Nullable Mode mode(Client client) {
    return modes.get(client);
  }

  public int clients() {
    return modes.size();
  }

  /** Returns the number of keys with readers. */
  public int keys() {
    return readers.size();
  }

  /** Returns the number of keys with readers, counting each reader. */
  public int items() {
    int items = 0;
    for (var e = readers.first(); e != null; e = e.after()) {
      items += e.value().size();
    }
    return items;
  }

  /** Returns the number of distinct prefixes in broadcast mode. */
  public long prefixes() {
    return modes.values().stream()
        .filter(m -> m.broadcast)
        .flatMap(m -> m.prefixes.stream().map(Bytes::text))
        .distinct()
        .count();
  }

  public void enable(Client client, Mode mode) {
    Mode former = modes.put(client, mode);
    if (former != null) {
      mode.prefixes.addAll(former.prefixes);
    }
  }

  public void disable(Client client) {
    modes.remove(client);
    broadcasts.remove(client);
    if (modes.isEmpty()) {
      readers.clear();
    }
  }

  /** Called after a client has run a command that reads the keys. */
  public void read(Client client, byte[][] args, int[] keys) {
    Mode mode = modes.get(client);
    if (mode == null || !mode.remembersReads()) {
      return;
    }
    for (int i : keys) {
      readers.computeIfAbsent(args[i], LinkedHashSet::new).add(client);
    }
  }

  /** Invalidates the key for its readers. */
  private void forgetOldest() {
    ByteMap.Entry<Set<Client>> oldest = readers.first();
    if (oldest != null) {
      readers.remove(oldest.key);
      oldest.value().forEach(client -> note(client, null, oldest.key, false));
    }
  }

  /** Queues the messages of a change. {@link #send} sends them after the reply. */
  void changed(@Nullable Client cause, byte[] key) {
    if (modes.isEmpty()) {
      return;
    }
    Set<Client> clients = readers.remove(key);
    if (clients != null) {
      clients.forEach(client -> note(client, cause, key, false));
    }
    modes.forEach(
        (client, mode) -> {
          if (mode.broadcast && mode.covers(key)) {
            note(client, cause, key, true);
          }
        });
  }

  private void note(Client client, @Nullable Client cause, byte[] key, boolean broadcast) {
    Mode mode = modes.get(client);
    if (mode == null || mode.broadcast != broadcast || (mode.noLoop && client == cause)) {
      return;
    }
    if (!broadcast) {
      sendLater(() -> tell(client, mode, List.of(key)));
      return;
    }
    Set<byte[]> keys = broadcasts.get(client);
    if (keys == null) {
      keys = new TreeSet<>(Arrays::compareUnsigned);
      broadcasts.put(client, keys);
      sendLater(() -> tellBroadcast(client, mode));
    }
    keys.add(key);
  }

  /** All changes of a command are sent in one message, or in one for each prefix. */
  private void tellBroadcast(Client client, Mode mode) {
    Set<byte[]> keys = broadcasts.remove(client);
    if (keys == null) {
      return;
    }
    for (byte[] prefix : mode.prefixes) {
      List<byte[]> covered = keys.stream().filter(key -> startsWith(key, prefix)).toList();
      if (!covered.isEmpty()) {
        tell(client, mode, covered);
      }
    }
  }

  private static boolean startsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(prefix, 0, prefix.length, key, 0, prefix.length);
  }

  /** Called after the reply of a command, or alone if none is running. */
  private void sendLater(Runnable message) {
    if (pending.isEmpty()) {
      thread.execute(this::send);
    }
    pending.add(message);
  }

  /** Invalidates all keys at once. */
  public void flushed() {
    readers.clear();
    modes.forEach((client, mode) -> sendLater(() -> tell(client, mode, null)));
  }

  /** Sends the queued messages, and invalidates keys beyond the limit. */
  public void send() {
    long most = readers.size() == 0 ? 0 : maxKeys.getAsLong();
    while (most > 0 && readers.size() > most) {
      forgetOldest();
    }
    if (!pending.isEmpty()) {
      List<Runnable> messages = List.copyOf(pending);
      pending.clear();
      messages.forEach(Runnable::run);
    }
  }

  private void tell(Client client, Mode mode, @Nullable List<byte[]> keys) {
    Client to = client;
    if (mode.redirect != 0) {
      Client target = clientsById.apply(mode.redirect);
      if (target == null) {
        redirectHasGone(client, mode);
        return;
      }
      to = target;
    }
    Reply out = to.pushes();
    if (to.protocol() == 3) {
      out.push(2);
      out.bulk("invalidate");
    } else if (mode.redirect != 0 && to.isSubscriber()) {
      out.push(3);
      out.bulk("message");
      out.bulk(CHANNEL);
    } else {
      return;
    }
    if (keys == null) {
      out.nilArray();
    } else {
      out.bulks(keys);
    }
  }

  private static void redirectHasGone(Client client, Mode mode) {
    mode.redirectBroken = true;
    if (client.protocol() == 3) {
      client.pushes().push(2);
      client.pushes().bulk("tracking-redir-broken");
      client.pushes().integer(mode.redirect);
    }
  }
}
