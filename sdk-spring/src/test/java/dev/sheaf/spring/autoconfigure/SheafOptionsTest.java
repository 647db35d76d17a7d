package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import java.util.Map;
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
    SheafProperties properties = bound(Map.of("sheaf.yielding", yielding));
    SheafBuilder<String, String> builder =
        new SheafOptions(properties).applyTo(Sheaf.builder("redis://localhost"), "client", null);
    assertThat(new DirectFieldAccessor(builder).getPropertyValue("settings.yielding"))
        .isEqualTo(yielding);
  }

  private static SheafProperties bound(Map<String, ?> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("sheaf", SheafProperties.class);
  }
}
