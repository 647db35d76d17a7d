// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** Makes one invocation of a {@link ForEachServer} test for each chosen kind of server. */
final class ForEachServerProvider implements TestTemplateInvocationContextProvider {
  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return AnnotationSupport.isAnnotated(context.getTestMethod(), ForEachServer.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    ForEachServer annotation = context.getRequiredTestMethod().getAnnotation(ForEachServer.class);
    return Servers.chosen(context).stream().filter(annotation.on()::admits).map(Invocation::new);
  }

  /** A choice made by hand may hold no server that the test makes sense on. */
  @Override
  public boolean mayReturnZeroTestTemplateInvocationContexts(ExtensionContext context) {
    return true;
  }

  private record Invocation(ServerKind kind) implements TestTemplateInvocationContext {
    @Override
    public String getDisplayName(int index) {
      return kind.toString();
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(new ServerSupply(kind));
    }
  }

  /** Hands the flushed server to the test, before the test's own {@code @BeforeEach} methods. */
  private record ServerSupply(ServerKind kind) implements BeforeEachCallback, ParameterResolver {
    @Override
    public void beforeEach(ExtensionContext context) {
      Servers.of(context).get(kind, context).flush();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == ServerUnderTest.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return Servers.of(context).get(kind, context);
    }
  }
}
