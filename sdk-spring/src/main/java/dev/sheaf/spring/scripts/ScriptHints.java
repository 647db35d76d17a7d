// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.scripts;

import dev.sheaf.scripts.LuaScript;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.RegisteredBean;

/** Native image hints for script interfaces. */
final class ScriptHints implements BeanRegistrationAotProcessor {

  private static final String CLASS_PATH = "classpath:";

  @Override
  public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
    if (bean.getBeanClass() != ScriptFactory.class) {
      return null;
    }
    return bean.getMergedBeanDefinition().getAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE)
            instanceof Class<?> type
        ? new Hints(type)
        : null;
  }

  /** A script interface is proxied, its methods are inspected, and its files are read. */
  private record Hints(Class<?> type) implements BeanRegistrationAotContribution {

    @Override
    public void applyTo(GenerationContext context, BeanRegistrationCode code) {
      RuntimeHints hints = context.getRuntimeHints();
      hints.proxies().registerJdkProxy(type);
      hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
      for (Method method : type.getMethods()) {
        LuaScript script = method.getAnnotation(LuaScript.class);
        if (script != null && script.value().startsWith(CLASS_PATH)) {
          hints.resources().registerPattern(script.value().substring(CLASS_PATH.length()));
        }
      }
    }
  }
}
