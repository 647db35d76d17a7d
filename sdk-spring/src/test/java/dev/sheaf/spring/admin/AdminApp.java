// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.embedded.EmbeddedServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** An application with the admin endpoints, on a free port, before an embedded server. */
final class AdminApp implements AutoCloseable {

  /** Of all applications of this JVM; it ends with it. */
  static final EmbeddedServer SERVER = EmbeddedServer.start();

  /** Beside Netty, Tomcat would want to serve WebFlux, too. */
  static final String NO_SECURITY =
      "spring.autoconfigure.exclude="
          + "org.springframework.boot.tomcat.autoconfigure.actuate.web.server.TomcatReactiveManagementContextAutoConfiguration,"
          + "org.springframework.boot.tomcat.autoconfigure.reactive.TomcatReactiveWebServerAutoConfiguration,"
          + "org.springframework.boot.security.autoconfigure.ReactiveUserDetailsServiceAutoConfiguration,"
          + "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration,"
          + "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration,"
          + "org.springframework.boot.security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration,"
          + "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
          + "org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration,"
          + "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
          + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration";

  static final List<String> OPEN =
      List.of(
          "management.endpoints.web.exposure.include=sheaf,sheafvalue",
          "management.endpoint.sheaf.access=read-only",
          "management.endpoint.sheafvalue.access=read-only");

  /** Uses the starter's client. */
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Base {

    @Bean
    Audits audits() {
      return new Audits();
    }
  }

  /** A client that compresses, in place of the starter's. */
  static class OwnClient {

    @Bean
    Sheaf<String, String> testClient(MeterRegistry registry) {
      return Sheaf.builder(SERVER.uri())
          .name("test")
          .meterRegistry(registry)
          .compression(CompressionOptions.defaults())
          .connect();
    }
  }

  /** The users of the secured applications; the password of each is its name. */
  static class Users {

    @Bean
    UserDetailsService users() {
      return new InMemoryUserDetailsManager(
          user("visitor", "VISITOR"), user("support", "SUPPORT"), user("admin", "REDIS_ADMIN"));
    }

    private static org.springframework.security.core.userdetails.UserDetails user(
        String name, String role) {
      return User.withUsername(name).password("{noop}" + name).roles(role).build();
    }
  }

  /** The events, in their order. */
  static final class Audits {

    final List<AuditEvent> events = Collections.synchronizedList(new ArrayList<>());

    @EventListener
    void on(AuditApplicationEvent event) {
      events.add(event.getAuditEvent());
    }

    AuditEvent last() {
      return events.get(events.size() - 1);
    }
  }

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final ConfigurableApplicationContext context;

  private AdminApp(ConfigurableApplicationContext context) {
    this.context = context;
  }

  static AdminApp start(WebApplicationType type, List<Class<?>> sources, String... properties) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("server.port", "0");
    all.put("server.address", "127.0.0.1");
    all.put("spring.data.redis.url", SERVER.uri());
    all.put("spring.main.banner-mode", "off");
    all.put("spring.main.log-startup-info", "false");
    all.put("spring.jmx.enabled", "false");
    // A busy machine is not what these tests are about.
    all.put("sheaf.admin.timeout", "60s");
    all.put("sheaf.availability.timeout", "30s");
    for (String property : properties) {
      all.put(
          property.substring(0, property.indexOf('=')),
          property.substring(property.indexOf('=') + 1));
    }
    SpringApplicationBuilder builder = new SpringApplicationBuilder(Base.class);
    sources.forEach(builder::sources);
    return new AdminApp(builder.web(type).properties(all).run());
  }

  /** The properties that open both endpoints, and these. */
  static String[] open(String... properties) {
    List<String> all = new ArrayList<>(OPEN);
    all.addAll(List.of(properties));
    return all.toArray(String[]::new);
  }

  @SuppressWarnings("unchecked")
  Sheaf<String, String> sheaf() {
    return context.getBean(Sheaf.class);
  }

  Audits audits() {
    return context.getBean(Audits.class);
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  int port() {
    return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
  }

  int managementPort() {
    return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.management.port"));
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + managementPort() + path);
  }

  HttpResponse<String> get(String path, @Nullable String user) {
    return send(HttpRequest.newBuilder(uri(path)), user);
  }

  HttpResponse<String> value(String key, @Nullable String user) {
    return get("/actuator/sheafvalue?key=" + encoded(key), user);
  }

  static String encoded(String key) {
    return URLEncoder.encode(key, StandardCharsets.UTF_8);
  }

  static HttpResponse<String> send(HttpRequest.Builder request, @Nullable String user) {
    if (user != null) {
      request.header("Authorization", basic(user));
    }
    try {
      return HTTP.send(
          request.timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static String basic(String user) {
    return "Basic "
        + Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    context.close();
  }
}
