// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One direction of one connection: data that has arrived and is not due yet. Confined to the event
 * loop.
 */
final class ProxyPipe implements ProxyScheduler.Timed {

  private enum Kind {
    DATA,
    END,
    RESET
  }

  private record Entry(Kind kind, ByteBuf data, long due) {}

  private final ProxyConnection connection;
  private final ProxyLink link;
  private final ProxyScheduler scheduler;
  private final ProxyCounters counters;
  private final LongConsumer delivered;
  private final int maxBytesInFlight;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();

  private @Nullable Channel source;
  private @Nullable Channel sink;
  private long bytesInFlight;
  private boolean scheduled;
  private boolean swallowing;
  private boolean ended;

  ProxyPipe(
      ProxyConnection connection,
      ProxyLink link,
      ProxyScheduler scheduler,
      ProxyCounters counters,
      LongConsumer delivered,
      int maxBytesInFlight) {
    this.connection = connection;
    this.link = link;
    this.scheduler = scheduler;
    this.counters = counters;
    this.delivered = delivered;
    this.maxBytesInFlight = maxBytesInFlight;
  }

  void source(Channel channel) {
    source = channel;
  }

  void sink(Channel channel) {
    sink = channel;
    schedule();
  }

  void dataArrived(ByteBuf data) {
    if (swallowing) {
      data.release();
      return;
    }
    int bytes = data.readableBytes();
    bytesInFlight += bytes;
    counters.bytesInFlight.addAndGet(bytes);
    arrived(Kind.DATA, data, bytes);
    if (bytesInFlight >= maxBytesInFlight) {
      readFromSource(false);
    }
  }

  void endArrived() {
    arrived(Kind.END, Unpooled.EMPTY_BUFFER, 0);
  }

  void resetArrived() {
    arrived(Kind.RESET, Unpooled.EMPTY_BUFFER, 0);
  }

  /** Returns the due time of the first entry; there must be one. */
  @Override
  public long headDue() {
    return entries.element().due();
  }

  boolean ended() {
    return ended;
  }

  /** Delivers what is due. Returns whether more is held. */
  @Override
  public boolean releaseDue(long now) {
    scheduled = false;
    Channel to = sink;
    if (to == null || link.paused) {
      return false;
    }
    boolean wrote = false;
    while (!entries.isEmpty() && headDue() - now <= 0) {
      wrote = true;
      deliver(entries.poll(), to);
    }
    if (wrote) {
      to.flush();
    }
    scheduled = !entries.isEmpty();
    return scheduled;
  }

  /** Registers this pipe with the scheduler if it may have something to deliver. */
  void schedule() {
    if (!scheduled && sink != null && !link.paused && !entries.isEmpty()) {
      scheduled = true;
      scheduler.add(this);
    }
  }

  /** Drops the held data and everything that arrives. */
  void swallow() {
    swallowing = true;
    if (scheduled) {
      scheduler.remove(this);
      scheduled = false;
    }
    for (Entry entry = entries.poll(); entry != null; entry = entries.poll()) {
      left(entry.data().readableBytes());
      entry.data().release();
    }
    readFromSource(true);
  }

  private void arrived(Kind kind, ByteBuf data, int bytes) {
    long now = System.nanoTime();
    Entry entry = new Entry(kind, data, link.dueAt(now, bytes));
    entries.add(entry);
    if (entries.size() == 1 && entry.due() - now <= 0) {
      releaseDue(now);
    } else {
      schedule();
    }
  }

  private void deliver(Entry entry, Channel to) {
    switch (entry.kind()) {
      case DATA -> deliverData(entry.data(), to);
      case END -> {
        ended = true;
        connection.endDelivered(to);
      }
      case RESET -> connection.reset();
    }
  }

  private void deliverData(ByteBuf data, Channel to) {
    int held = data.readableBytes();
    int bytes = link.allowance(held);
    boolean cut = link.passed(bytes);
    delivered.accept(bytes);
    to.write(data.slice(data.readerIndex(), bytes))
        .addListener(
            written -> {
              left(held);
              if (bytesInFlight <= maxBytesInFlight / 2) {
                readFromSource(true);
              }
              if (!written.isSuccess()) {
                connection.reset();
              }
            });
    if (cut) {
      connection.cut();
    }
  }

  private void left(int bytes) {
    bytesInFlight -= bytes;
    counters.bytesInFlight.addAndGet(-bytes);
  }

  private void readFromSource(boolean on) {
    if (source != null && source.config().isAutoRead() != on) {
      source.config().setAutoRead(on);
    }
  }
}
