// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** The access rules that the guide shows. */
// guide:begin
@Configuration(proxyBeanMethods = false)
class AdminSecurity {

  @Bean
  @Order(1) // before the rules for the rest of the application
  SecurityFilterChain sheafAdmin(HttpSecurity http) throws Exception {
    return http.securityMatcher(EndpointRequest.to("sheaf", "sheafvalue"))
        .authorizeHttpRequests(
            requests -> requests.anyRequest().hasAnyRole("SUPPORT", "REDIS_ADMIN"))
        .httpBasic(Customizer.withDefaults())
        .build();
  }
}
// guide:end
