// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.junit;

import dev.sheaf.embedded.EmbeddedClock;
import dev.sheaf.embedded.EmbeddedData;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.EmbeddedServerBuilder;
import java.lang.reflect.Parameter;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Implements {@link EmbeddedRedis}. Used by JUnit only. */
public final class EmbeddedRedisExtension implements ParameterResolver, BeforeEachCallback {
  private static final Namespace NAMESPACE = Namespace.create(EmbeddedRedisExtension.class);
  private static final Instant MANUAL_START = Instant.parse("2030-01-01T00:00:00Z");

  /** Closed by JUnit together with the context that stores it. */
  private record Running(EmbeddedServer server) implements AutoCloseable {
    @Override
    public void close() {
      server.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    if (parameter.isAnnotated(EmbeddedRedis.class)) {
      if (type != EmbeddedServer.class) {
        throw new ParameterResolutionException(
            "@EmbeddedRedis is for parameters of type EmbeddedServer, not " + type.getName());
      }
      return true;
    }
    boolean known =
        type == EmbeddedServer.class || type == EmbeddedClock.class || type == EmbeddedData.class;
    return known && ofClass(context).isPresent();
  }

  private static Optional<EmbeddedRedis> ofClass(ExtensionContext context) {
    Class<?> type = context.getRequiredTestClass();
    while (type != null) {
      Optional<EmbeddedRedis> found = AnnotationSupport.findAnnotation(type, EmbeddedRedis.class);
      if (found.isPresent()) {
        return found;
      }
      type = type.getEnclosingClass();
    }
    return Optional.empty();
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Parameter wanted = parameter.getParameter();
    Optional<EmbeddedRedis> own = parameter.findAnnotation(EmbeddedRedis.class);
    if (own.isPresent()) {
      String key = parameter.getDeclaringExecutable() + "#" + parameter.getIndex();
      return started(context, key, own.get());
    }
    EmbeddedServer server = started(context, "class", ofClass(context).orElseThrow());
    if (wanted.getType() == EmbeddedClock.class) {
      return server.clock();
    }
    return wanted.getType() == EmbeddedData.class ? server.data() : server;
  }

  private static EmbeddedServer started(ExtensionContext context, String key, EmbeddedRedis how) {
    ExtensionContext home =
        how.scope() == EmbeddedRedis.Scope.CLASS ? classContext(context) : context;
    return home.getStore(NAMESPACE)
        .getOrComputeIfAbsent(key, k -> new Running(start(how)), Running.class)
        .server();
  }

  private static ExtensionContext classContext(ExtensionContext context) {
    ExtensionContext at = context;
    while (at.getTestMethod().isPresent()) {
      at = at.getParent().orElseThrow();
    }
    return at;
  }

  private static EmbeddedServer start(EmbeddedRedis how) {
    EmbeddedServerBuilder builder = EmbeddedServer.builder();
    if (how.masters() > 0) {
      builder.cluster(how.masters(), how.replicas());
    } else {
      builder.replicas(how.replicas());
    }
    if (!how.password().isEmpty()) {
      builder.password(how.password());
    }
    if (how.manualClock()) {
      builder.clock(EmbeddedClock.manual(MANUAL_START));
    }
    if (how.seed() != 0) {
      builder.seed(how.seed());
    }
    return builder.start();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    boolean shared =
        ofClass(context).filter(how -> how.scope() == EmbeddedRedis.Scope.CLASS).isPresent();
    Running running =
        shared ? classContext(context).getStore(NAMESPACE).get("class", Running.class) : null;
    if (running != null) {
      EmbeddedServer server = running.server();
      server.faults().clear();
      for (int db = 0; db < (server.isCluster() ? 1 : 16); db++) {
        server.data(db).flush();
      }
      server.resetStats();
      server.log().clear();
    }
  }
}
