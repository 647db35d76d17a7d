// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import jakarta.servlet.Filter;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** Adds the headers on the port of the management endpoints. */
@ManagementContextConfiguration(proxyBeanMethods = false)
class AdminHeadersConfiguration {

  private static AdminHeaders headers(WebEndpointProperties endpoints) {
    AdminPaths paths = AdminPaths.of(endpoints);
    return new AdminHeaders(paths.base(), paths.page(), paths.values());
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Filter.class, FilterRegistrationBean.class})
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  static class Servlet {

    @Bean
    FilterRegistrationBean<AdminHeadersFilter> sheafAdminHeaders(WebEndpointProperties endpoints) {
      FilterRegistrationBean<AdminHeadersFilter> filter =
          new FilterRegistrationBean<>(new AdminHeadersFilter(headers(endpoints)));
      // Runs before all others, so that responses of Spring Security have the headers, too.
      filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
      return filter;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  static class Reactive {

    @Bean
    AdminHeadersWebFilter sheafAdminHeaders(WebEndpointProperties endpoints) {
      return new AdminHeadersWebFilter(headers(endpoints));
    }
  }
}
