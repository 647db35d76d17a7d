package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.DirectFieldAccessor;

/** Properties that reach the builder and nothing else that could be asked. */
class SheafOptionsTest {

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void yielding_isThatOfTheProperty(boolean yielding) {
    SheafProperties properties = new SheafProperties();
    assertThat(properties.isYielding()).isFalse();
    properties.setYielding(yielding);
    SheafBuilder<String, String> builder =
        new SheafOptions(properties).applyTo(Sheaf.builder("redis://localhost"), "client", null);
    assertThat(new DirectFieldAccessor(builder).getPropertyValue("settings.yielding"))
        .isEqualTo(yielding);
  }
}
