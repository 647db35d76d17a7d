// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import io.lettuce.core.tracing.LettuceObservationContext;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.Observation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce's observation context with shared tags. Micrometer's own context copies tags into a map
 * and sorts them each time they are read.
 */
final class CommandContext extends LettuceObservationContext {

  /** Lettuce's name for observations of commands. */
  static final String NAME = "lettuce";

  private @Nullable CommandKind kind;
  private volatile KeyValues tags = KeyValues.empty();

  /** The sample started by {@link CommandMeters}; null if another handler measures, or none. */
  Timer.@Nullable Sample timing;

  LongTaskTimer.@Nullable Sample active;

  CommandContext(String serviceName) {
    super(serviceName);
  }

  void setKind(CommandKind kind) {
    this.kind = kind;
  }

  CommandKind kind() {
    return Objects.requireNonNull(kind);
  }

  /** Whether name and tags are still those of the kind. */
  @SuppressWarnings("ReferenceEquality") // Equal ones are as good, but take longer to compare.
  boolean isAsItsKind() {
    return tags == kind().tags() && NAME.equals(getName());
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // A convention is asked once more at the end.
  public Observation.Context addLowCardinalityKeyValues(KeyValues added) {
    if (added != tags) {
      add(added);
    }
    return this;
  }

  private synchronized void add(KeyValues added) {
    tags = tags.and(added);
  }

  @Override
  public Observation.Context addLowCardinalityKeyValue(KeyValue added) {
    add(KeyValues.of(added));
    return this;
  }

  @Override
  public synchronized Observation.Context removeLowCardinalityKeyValue(String name) {
    tags = KeyValues.of(tags.stream().filter(tag -> !tag.getKey().equals(name)).toList());
    return this;
  }

  @Override
  public KeyValues getLowCardinalityKeyValues() {
    return tags;
  }

  @Override
  public @Nullable KeyValue getLowCardinalityKeyValue(String name) {
    return tags.stream().filter(tag -> tag.getKey().equals(name)).findFirst().orElse(null);
  }
}
