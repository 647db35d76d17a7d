// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** When the endpoints are there at all. */
class AdminAutoConfigurationTest {

  private static final String EXPOSED =
      "management.endpoints.web.exposure.include=sheaf,sheafvalue";
  private static final String VALUE_ACCESS = "management.endpoint.sheafvalue.access=read-only";
  private static final String PAGE_ACCESS = "management.endpoint.sheaf.access=read-only";

  private final WebApplicationContextRunner runner =
      new WebApplicationContextRunner()
          // As an application has it; without, read-only is no access.
          .withInitializer(
              context ->
                  context.getEnvironment().setConversionService(new ApplicationConversionService()))
          .withConfiguration(
              AutoConfigurations.of(
                  EndpointAutoConfiguration.class,
                  WebEndpointAutoConfiguration.class,
                  SheafAdminAutoConfiguration.class));

  @Test
  void byDefault_neitherIsThere() {
    assertEndpoints(runner, false, false);
  }

  @Test
  void exposedWithoutAccess_neitherIsThere() {
    assertEndpoints(runner.withPropertyValues(EXPOSED), false, false);
    assertEndpoints(
        runner.withPropertyValues("management.endpoints.web.exposure.include=*"), false, false);
  }

  @Test
  void accessWithoutExposure_neitherIsThere() {
    assertEndpoints(runner.withPropertyValues(VALUE_ACCESS, PAGE_ACCESS), false, false);
  }

  @Test
  void exposureInJmx_opensNothing() {
    assertEndpoints(
        runner.withPropertyValues(
            VALUE_ACCESS,
            PAGE_ACCESS,
            "spring.jmx.enabled=true",
            "management.endpoints.jmx.exposure.include=*"),
        false,
        false);
  }

  @Test
  void accessCappedForAllEndpoints_neitherIsThere() {
    assertEndpoints(
        runner.withPropertyValues(
            EXPOSED, VALUE_ACCESS, PAGE_ACCESS, "management.endpoints.access.max-permitted=none"),
        false,
        false);
  }

  @Test
  void eachIsOpenedByItself() {
    assertEndpoints(runner.withPropertyValues(EXPOSED, VALUE_ACCESS), true, false);
    assertEndpoints(runner.withPropertyValues(EXPOSED, PAGE_ACCESS), false, true);
  }

  @Test
  void switchedOff_neitherIsThere() {
    assertEndpoints(
        runner.withPropertyValues(EXPOSED, VALUE_ACCESS, PAGE_ACCESS, "sheaf.enabled=false"),
        false,
        false);
  }

  @Test
  void withoutTheActuator_nothingFails() {
    runner
        .withClassLoader(new FilteredClassLoader(WebEndpoint.class))
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void properties_areBound() {
    runner
        .withPropertyValues(
            EXPOSED,
            VALUE_ACCESS,
            "sheaf.admin.show-values=when-authorized",
            "sheaf.admin.roles=a,b",
            "sheaf.admin.max-value-size=2MB",
            "sheaf.admin.keys.allow=page:*",
            "sheaf.admin.keys.deny-usual=false",
            "sheaf.admin.redact.show-unstructured=true")
        .run(
            context -> {
              SheafAdminProperties properties = context.getBean(SheafAdminProperties.class);
              assertThat(properties.showValues()).isEqualTo(Show.WHEN_AUTHORIZED);
              assertThat(properties.roles()).containsExactlyInAnyOrder("a", "b");
              assertThat(properties.maxValueSize().toMegabytes()).isEqualTo(2);
              assertThat(properties.keys().allow()).containsExactly("page:*");
              assertThat(properties.keys().denyUsual()).isFalse();
              assertThat(properties.redact().showUnstructured()).isTrue();
            });
  }

  @Test
  void limitsOutOfRange_failAtStartAndAreNamed() {
    for (String property :
        new String[] {
          "max-value-size=3GB",
          "max-value-size=0B",
          "max-elements=0",
          "timeout=0",
          "max-concurrent-reads=0"
        }) {
      runner
          .withPropertyValues(EXPOSED, VALUE_ACCESS, "sheaf.admin." + property)
          .run(
              context ->
                  assertThat(context)
                      .getFailure()
                      .rootCause()
                      .hasMessageContaining("sheaf.admin." + property.split("=")[0]));
    }
  }

  private static void assertEndpoints(
      WebApplicationContextRunner runner, boolean value, boolean page) {
    runner.run(
        context -> {
          assertThat(context).hasNotFailed();
          assertThat(context.getBeanNamesForType(SheafValueEndpoint.class)).hasSize(value ? 1 : 0);
          assertThat(context.getBeanNamesForType(SheafPageEndpoint.class)).hasSize(page ? 1 : 0);
        });
  }
}
