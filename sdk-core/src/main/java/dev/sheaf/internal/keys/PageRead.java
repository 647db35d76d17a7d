// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.ConnectionLostException;
import dev.sheaf.QueueFullException;
import dev.sheaf.Result;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.command.StartsAgain;
import dev.sheaf.internal.pipeline.NodePipeline;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A blocking read of many keys of one server with MGET, where a {@link MultiGet} has a command for
 * each key.
 *
 * <p>MGET is not the same as many GETs: it answers nil where GET answers WRONGTYPE, and one refused
 * key refuses all. So keys without a value in the reply are read again with a GET each. The caller
 * still waits, so the answer to the GET counts, and not only its error.
 *
 * <p>Confined to its caller, except for the completion of its commands.
 */
public final class PageRead<K, V> extends Outcomes<PageRead<K, V>> {

  private final ReadRouter<K, V> router;
  private final NodePipeline server;

  /** In the order of the keys; preliminary until all replies are there. */
  private final Map<K, Result<V>> results;

  /** The distinct keys. */
  private final List<K> keys;

  private final List<Part> parts = new ArrayList<>();

  private PageRead(ReadRouter<K, V> router, NodePipeline server, Collection<? extends K> keys) {
    this.router = router;
    this.server = server;
    this.results = new LinkedHashMap<>(keys.size() * 4 / 3 + 1);
    this.keys = new ArrayList<>(keys.size());
    Result<V> preliminary = new Result.Absent<>();
    int index = 0;
    for (K key : keys) {
      if (key == null) {
        throw new NullPointerException("The key at index " + index + " is null");
      }
      index++;
      if (results.putIfAbsent(key, preliminary) == null) {
        this.keys.add(key);
      }
    }
  }

  /**
   * Reads keys, each with the result of a GET.
   *
   * @param timeout the time-out that errors name
   * @param deadlineNanos when it ends, by System.nanoTime
   * @return the results in the order of the distinct keys
   * @throws NullPointerException if a key is null; nothing is sent then
   */
  public static <K, V> Map<K, Result<V>> read(
      ReadRouter<K, V> router, Collection<? extends K> keys, Duration timeout, long deadlineNanos) {
    NodePipeline server = router.onlyServer();
    WriteScope scope = WriteScope.current();
    if (server != null && scope != null && server.readsPages(keys.size())) {
      PageRead<K, V> page = new PageRead<>(router, server, keys);
      if (page.isEncoded(server.maxFusedKeys())) {
        page.send(scope);
        page.await(timeout, deadlineNanos);
        return page.results(timeout, deadlineNanos);
      }
    }
    return MultiGet.sendBlocking(router, keys, timeout).await(timeout, deadlineNanos).results();
  }

  /** Encodes the commands. Returns false if the codec failed, which is to fail one key only. */
  private boolean isEncoded(int keysPerCommand) {
    try {
      for (int start = 0; start < keys.size(); start += keysPerCommand) {
        parts.add(new Part(keys.subList(start, Math.min(keys.size(), start + keysPerCommand))));
      }
      return true;
    } catch (RuntimeException ofTheCodec) {
      return false;
    }
  }

  /** Sends the commands as soon as the thread waits. */
  private void send(WriteScope scope) {
    begin(parts.size());
    for (Part part : parts) {
      server.takes(part);
      scope.hold(server, part.encoded());
    }
  }

  private Map<K, Result<V>> results(Duration timeout, long deadlineNanos) {
    List<K> again = new ArrayList<>(0);
    Iterator<Map.Entry<K, Result<V>>> inOrder = results.entrySet().iterator();
    for (Part part : parts) {
      part.collect(inOrder, again);
    }
    if (!again.isEmpty()) {
      results.putAll(
          MultiGet.sendEach(router, again, timeout).await(timeout, deadlineNanos).results());
    }
    return Collections.unmodifiableMap(results);
  }

  @Override
  PageRead<K, V> all() {
    return this;
  }

  @Override
  List<Part> commands() {
    return parts;
  }

  /** The MGET of some of the keys. */
  private final class Part extends KeyedCommand<K, V, List<@Nullable V>, List<@Nullable V>> {

    private final List<K> keys;
    private final EncodedCommand<K, V, List<@Nullable V>> encoded;

    /**
     * Encodes the request.
     *
     * @throws RuntimeException if the codec throws one
     */
    @SuppressWarnings("NullAway") // The arguments come later, if at all.
    Part(List<K> keys) {
      super(PageRead.this, CommandType.MGET, new Values<>(router.codec(), keys.size()), null);
      this.keys = keys;
      this.encoded = EncodedCommand.encode(this, false, router.compression());
    }

    EncodedCommand<K, V, List<@Nullable V>> encoded() {
      return encoded;
    }

    /** Made for each who asks, which is rare: the request is encoded without them. */
    @Override
    public CommandArgs<K, V> getArgs() {
      return new CommandArgs<>(router.codec()).addKeys(keys);
    }

    @Override
    public void encode(ByteBuf buffer) {
      buffer.writeBytes(RequestEncoder.encodeMget(router.codec(), keys));
    }

    @Override
    Result<List<@Nullable V>> answered() {
      return new Result.Value<>(getOutput().get());
    }

    /**
     * Sets the results of its keys, which are the next ones.
     *
     * @param again gets the keys that a GET must be sent for; their results stay preliminary
     */
    void collect(Iterator<Map.Entry<K, Result<V>>> results, List<K> again) {
      Result<List<@Nullable V>> reply = result();
      if (reply instanceof Result.Value<List<@Nullable V>> all
          && all.value().size() == keys.size()) {
        addValues(all.value(), results, again);
        return;
      }
      RedisException error =
          reply instanceof Result.Failure<List<@Nullable V>> failed ? failed.error() : null;
      if (error != null && isOfAll(error)) {
        keys.forEach(key -> results.next().setValue(new Result.Failure<>(error)));
        return;
      }
      server.refusedPage(String.valueOf(getOutput().getError()));
      keys.forEach(key -> results.next());
      again.addAll(keys);
    }

    private void addValues(
        List<@Nullable V> values, Iterator<Map.Entry<K, Result<V>>> results, List<K> again) {
      int nils = 0;
      for (int i = 0; i < keys.size(); i++) {
        V value = values.get(i);
        Map.Entry<K, Result<V>> result = results.next();
        if (value == null) {
          nils++;
          again.add(keys.get(i));
        } else {
          result.setValue(new Result.Value<>(value));
        }
      }
      server.answeredPage(keys.size(), nils);
    }

    /** Whether the error is that of all keys. Any other one may be that of a single key. */
    private static boolean isOfAll(RedisException error) {
      return error instanceof RedisCommandTimeoutException
          || error instanceof ConnectionLostException
          || error instanceof QueueFullException;
    }
  }

  /** The values of the reply. */
  private static final class Values<K, V> extends CommandOutput<K, V, List<@Nullable V>>
      implements StartsAgain {

    Values(RedisCodec<K, V> codec, int keys) {
      super(codec, new ArrayList<>(keys));
    }

    @Override
    public void multi(int count) {
      output.clear();
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
      output.add(bytes == null ? null : ValueText.decoded(codec, bytes));
    }
  }
}
