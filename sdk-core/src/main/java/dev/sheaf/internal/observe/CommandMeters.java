// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The meters of observed commands: a {@link DefaultMeterObservationHandler} that caches its timers.
 * Names, tags and figures are the same.
 *
 * <p>The default handler looks up each meter by name and tags, twice per command, which is the
 * largest cost of an observation. Here meters are cached with the kind of the command until any
 * meter is added to the registry or removed. Commands that failed, or whose tags were changed, use
 * the default handler.
 *
 * <p>Thread-safe.
 */
public final class CommandMeters implements MeterObservationHandler<Observation.Context> {

  private final MeterRegistry registry;
  private final DefaultMeterObservationHandler usual;
  private final boolean countsActive;
  private final AtomicInteger changes = new AtomicInteger();

  /** Creates a handler for a registry that ignores some meters. */
  public CommandMeters(MeterRegistry registry, IgnoredMeters... ignored) {
    this.registry = registry;
    this.usual = new DefaultMeterObservationHandler(registry, ignored);
    this.countsActive = !Arrays.asList(ignored).contains(IgnoredMeters.LONG_TASK_TIMER);
    registry
        .config()
        .onMeterAdded(added -> changes.incrementAndGet())
        .onMeterRemoved(removed -> changes.incrementAndGet());
  }

  @Override
  public boolean supportsContext(Observation.Context context) {
    return context instanceof CommandContext;
  }

  @Override
  public void onStart(Observation.Context context) {
    CommandContext command = (CommandContext) context;
    if (!command.isAsItsKind()) {
      usual.onStart(context);
      return;
    }
    if (countsActive) {
      command.active = active(command.kind()).start();
    }
    command.timing = Timer.start(registry);
  }

  @Override
  public void onStop(Observation.Context context) {
    CommandContext command = (CommandContext) context;
    Timer.Sample timing = command.timing;
    LongTaskTimer.Sample active = command.active;
    if (timing != null && command.isAsItsKind() && context.getError() == null) {
      timing.stop(timer(command.kind()));
      if (active != null) {
        active.stop();
      }
      return;
    }
    if (timing != null) {
      context.put(Timer.Sample.class, timing);
    }
    if (active != null) {
      context.put(LongTaskTimer.Sample.class, active);
    }
    usual.onStop(context);
  }

  @Override
  public void onEvent(Observation.Event event, Observation.Context context) {
    usual.onEvent(event, context);
  }

  private LongTaskTimer active(CommandKind kind) {
    CommandKind.Found<LongTaskTimer> found = kind.active;
    int now = changes.get();
    if (found == null || found.by() != this || found.changes() != now) {
      found =
          new CommandKind.Found<>(
              this,
              now,
              registry.more().longTaskTimer(CommandContext.NAME + ".active", tags(kind)));
      kind.active = found;
    }
    return found.meter();
  }

  private Timer timer(CommandKind kind) {
    CommandKind.Found<Timer> found = kind.timer;
    int now = changes.get();
    if (found == null || found.by() != this || found.changes() != now) {
      found =
          new CommandKind.Found<>(
              this, now, registry.timer(CommandContext.NAME, tags(kind).and("error", "none")));
      kind.timer = found;
    }
    return found.meter();
  }

  private static Tags tags(CommandKind kind) {
    return Tags.of(kind.tags().stream().map(tag -> Tag.of(tag.getKey(), tag.getValue())).toList());
  }
}
