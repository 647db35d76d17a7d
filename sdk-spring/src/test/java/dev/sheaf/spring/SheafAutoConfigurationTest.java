package dev.sheaf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class SheafAutoConfigurationTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SheafAutoConfiguration.class, DataRedisAutoConfiguration.class));

  @Test
  void switchedOff_isNotThere() {
    runner
        .withPropertyValues("sheaf.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(SheafProperties.class));
  }

  @Test
  void byDefault_isThere() {
    runner.run(context -> assertThat(context).hasSingleBean(SheafProperties.class));
  }
}
