package dev.sheaf.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.data.redis.connection.RedisGeoCommands;
import org.springframework.data.redis.connection.RedisHashCommands;
import org.springframework.data.redis.connection.RedisHyperLogLogCommands;
import org.springframework.data.redis.connection.RedisKeyCommands;
import org.springframework.data.redis.connection.RedisListCommands;
import org.springframework.data.redis.connection.RedisSetCommands;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.connection.RedisZSetCommands;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What a native image has to know of the starter: its proxies, and the fields that it copies. */
final class StarterHints implements RuntimeHintsRegistrar, BeanRegistrationAotProcessor {

  private static final List<Class<?>> PROXIED =
      List.of(
          RedisGeoCommands.class,
          RedisHashCommands.class,
          RedisHyperLogLogCommands.class,
          RedisKeyCommands.class,
          RedisListCommands.class,
          RedisSetCommands.class,
          RedisStringCommands.class,
          RedisZSetCommands.class);

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    PROXIED.forEach(type -> hints.proxies().registerJdkProxy(type));
    PROXIED.forEach(
        type -> hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS));
    // Copied, since some of it has no getter.
    hints
        .reflection()
        .registerType(LettuceConnectionFactory.class, MemberCategory.ACCESS_DECLARED_FIELDS);
  }

  @Override
  public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
    if (bean.getBeanClass() != ScriptFactory.class) {
      return null;
    }
    return bean.getMergedBeanDefinition().getAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE)
            instanceof Class<?> type
        ? new ScriptHints(type)
        : null;
  }

  /** An interface of scripts is proxied, and its methods are looked at. */
  private record ScriptHints(Class<?> type) implements BeanRegistrationAotContribution {

    @Override
    public void applyTo(GenerationContext context, BeanRegistrationCode code) {
      RuntimeHints hints = context.getRuntimeHints();
      hints.proxies().registerJdkProxy(type);
      hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
  }
}
