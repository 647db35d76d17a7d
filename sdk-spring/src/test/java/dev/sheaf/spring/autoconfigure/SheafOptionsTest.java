// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Properties that reach the builder and nothing else that could be asked. */
class SheafOptionsTest {

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void yielding_isThatOfTheProperty(boolean yielding) {
    assertThat(bound(Map.of()).yielding()).isFalse();
    assertThat(builder(Map.of("sheaf.yielding", yielding), "yielding")).isEqualTo(yielding);
  }

  @Test
  void topologySources_areThoseOfTheProperty() {
    assertThat(builder(Map.of(), "topologySources")).isEqualTo(10);
    assertThat(builder(Map.of("sheaf.topology-sources", 3), "topologySources")).isEqualTo(3);
    assertThatThrownBy(() -> builder(Map.of("sheaf.topology-sources", 0), "topologySources"))
        .isInstanceOf(InvalidSheafPropertyException.class)
        .hasMessageContaining("topologySources must be at least 1, but was 0");
  }

  /** What a builder has for a setting. */
  private static Object builder(Map<String, ?> properties, String setting) {
    SheafBuilder<String, String> builder =
        new SheafOptions(bound(properties))
            .applyTo(Sheaf.builder("redis://localhost"), "client", null);
    return new DirectFieldAccessor(builder).getPropertyValue("settings." + setting);
  }

  private static SheafProperties bound(Map<String, ?> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("sheaf", SheafProperties.class);
  }
}
