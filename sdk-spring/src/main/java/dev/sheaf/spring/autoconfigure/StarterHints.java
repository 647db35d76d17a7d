// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.data.redis.connection.RedisGeoCommands;
import org.springframework.data.redis.connection.RedisHashCommands;
import org.springframework.data.redis.connection.RedisHyperLogLogCommands;
import org.springframework.data.redis.connection.RedisKeyCommands;
import org.springframework.data.redis.connection.RedisListCommands;
import org.springframework.data.redis.connection.RedisSetCommands;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.connection.RedisZSetCommands;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Native image hints of the starter: its proxies, the fields that it copies, and the files of its
 * page.
 */
final class StarterHints implements RuntimeHintsRegistrar {

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
    // Copied because some fields have no getter.
    hints
        .reflection()
        .registerType(LettuceConnectionFactory.class, MemberCategory.ACCESS_DECLARED_FIELDS);
    hints.resources().registerPattern("dev/sheaf/spring/admin/page.*");
    hints.resources().registerPattern("dev/sheaf/spring/admin/icon.svg");
  }
}
