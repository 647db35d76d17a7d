// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.scripts;

import dev.sheaf.Sheaf;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;

/** Creates the bean of one script interface, also where definitions are generated ahead of time. */
final class ScriptFactory<T> implements FactoryBean<T>, BeanFactoryAware {

  private final Class<T> type;
  private @Nullable BeanFactory beanFactory;

  ScriptFactory(Class<T> type) {
    this.type = type;
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    this.beanFactory = beanFactory;
  }

  @Override
  public T getObject() {
    if (beanFactory == null) {
      throw new IllegalStateException("Spring makes the scripts of " + type.getName());
    }
    return CurrentScripts.of(type, beanFactory.getBean(Sheaf.class));
  }

  @Override
  public Class<T> getObjectType() {
    return type;
  }
}
