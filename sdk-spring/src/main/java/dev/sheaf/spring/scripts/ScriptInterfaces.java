// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.scripts;

import dev.sheaf.scripts.LuaScript;
import java.beans.Introspector;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.ResourceLoaderAware;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Registers a bean for each interface with {@link LuaScript} methods in the application's packages.
 */
final class ScriptInterfaces
    implements ImportBeanDefinitionRegistrar,
        BeanFactoryAware,
        EnvironmentAware,
        ResourceLoaderAware {

  private BeanFactory beanFactory;
  private Environment environment;
  private ResourceLoader resourceLoader;

  @SuppressWarnings("NullAway.Init") // Spring sets all three before it registers.
  ScriptInterfaces() {}

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    this.beanFactory = beanFactory;
  }

  @Override
  public void setEnvironment(Environment environment) {
    this.environment = environment;
  }

  @Override
  public void setResourceLoader(ResourceLoader resourceLoader) {
    this.resourceLoader = resourceLoader;
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
    if (!AutoConfigurationPackages.has(beanFactory)) {
      return;
    }
    ClassPathScanningCandidateComponentProvider scanner = scanner();
    for (String basePackage : AutoConfigurationPackages.get(beanFactory)) {
      for (BeanDefinition found : scanner.findCandidateComponents(basePackage)) {
        String className = found.getBeanClassName();
        if (className != null) {
          register(
              ClassUtils.resolveClassName(className, resourceLoader.getClassLoader()), registry);
        }
      }
    }
  }

  private ClassPathScanningCandidateComponentProvider scanner() {
    ClassPathScanningCandidateComponentProvider scanner =
        new ClassPathScanningCandidateComponentProvider(false, environment) {
          @Override
          protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
            return definition.getMetadata().isInterface()
                && definition.getMetadata().isIndependent();
          }
        };
    scanner.setResourceLoader(resourceLoader);
    scanner.addIncludeFilter(
        (reader, factory) ->
            reader.getAnnotationMetadata().hasAnnotatedMethods(LuaScript.class.getName()));
    return scanner;
  }

  private <T> void register(Class<T> type, BeanDefinitionRegistry registry) {
    String name = Introspector.decapitalize(ClassUtils.getShortNameAsProperty(type));
    if (!registry.containsBeanDefinition(name)) {
      RootBeanDefinition definition = new RootBeanDefinition(ScriptFactory.class);
      // By name, because code generated ahead of time may not see the interface.
      definition.getConstructorArgumentValues().addIndexedArgumentValue(0, type.getName());
      definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, type);
      registry.registerBeanDefinition(name, definition);
    }
  }
}
