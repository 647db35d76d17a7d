package dev.sheaf.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.clients.jedis.HostAndPort;

/** Spring's template for strings, on Lettuce with its defaults. */
final class SpringRival implements Rival {

  private final LettuceConnectionFactory factory;
  private final StringRedisTemplate template;

  SpringRival(ServerKind kind, String uri, int threads) {
    HostAndPort at = Servers.address(uri);
    factory =
        kind == ServerKind.CLUSTER
            ? new LettuceConnectionFactory(new RedisClusterConfiguration(List.of(at.toString())))
            : new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(at.getHost(), at.getPort()));
    factory.afterPropertiesSet();
    factory.start();
    template = new StringRedisTemplate(factory);
  }

  @Override
  public @Nullable String get(String key) {
    return template.opsForValue().get(key);
  }

  @Override
  public @Nullable String[] getMany(Way way, String[] keys) {
    return switch (way) {
      case MANY_KEY_CALL -> values(template.opsForValue().multiGet(Arrays.asList(keys)));
      case PIPELINE -> values(template.executePipelined(gets(keys)));
      default -> throw new UnsupportedOperationException("Spring's template has no " + way);
    };
  }

  // Spring demands null of a callback in a pipeline; that its type allows it, only type
  // arguments say, which NullAway does not read.
  @SuppressWarnings("NullAway")
  private static RedisCallback<@Nullable Object> gets(String[] keys) {
    return connection -> {
      for (String key : keys) {
        connection.stringCommands().get(key.getBytes(StandardCharsets.UTF_8));
      }
      return null;
    };
  }

  private static @Nullable String[] values(@Nullable List<?> replies) {
    if (replies == null) {
      throw new IllegalStateException("Spring's template gave no values");
    }
    @Nullable String[] values = new String[replies.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (String) replies.get(i);
    }
    return values;
  }

  @Override
  public void close() {
    factory.destroy();
  }
}
