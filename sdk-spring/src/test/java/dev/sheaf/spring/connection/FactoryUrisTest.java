// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** The URIs are those that Spring Data gives its own clients. */
class FactoryUrisTest {

  private static RedisStandaloneConfiguration server() {
    return new RedisStandaloneConfiguration("redis.example", 6380);
  }

  private static RedisConfiguration withUser() {
    RedisStandaloneConfiguration server = server();
    server.setUsername("shop");
    server.setPassword("secret");
    server.setDatabase(3);
    return server;
  }

  private static RedisConfiguration withPassword() {
    RedisStandaloneConfiguration server = server();
    server.setPassword("secret");
    return server;
  }

  private static RedisConfiguration socket() {
    RedisSocketConfiguration socket = new RedisSocketConfiguration("/run/redis.sock");
    socket.setPassword("secret");
    socket.setDatabase(2);
    return socket;
  }

  private static RedisConfiguration sentinel() {
    RedisSentinelConfiguration sentinel =
        new RedisSentinelConfiguration().master("shop").sentinel("a", 1).sentinel("b", 2);
    sentinel.setUsername("user");
    sentinel.setPassword("secret");
    sentinel.setSentinelPassword("other");
    sentinel.setDatabase(4);
    return sentinel;
  }

  private static RedisConfiguration cluster() {
    RedisClusterConfiguration cluster =
        new RedisClusterConfiguration().clusterNode("a", 1).clusterNode("b", 2);
    cluster.setUsername("user");
    cluster.setPassword("secret");
    return cluster;
  }

  static Stream<RedisConfiguration> configurations() {
    return Stream.of(server(), withUser(), withPassword(), socket(), sentinel(), cluster());
  }

  private static LettuceConnectionFactory factory(
      RedisConfiguration configuration, Consumer<LettuceClientConfigurationBuilder> settings) {
    LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder();
    settings.accept(client);
    return new LettuceConnectionFactory(configuration, client.build());
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void plain(RedisConfiguration configuration) {
    compare(configuration, factory(configuration, settings -> {}));
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void withTlsAndNames(RedisConfiguration configuration) {
    compare(
        configuration,
        factory(
            configuration,
            settings ->
                settings
                    .clientName("till")
                    .commandTimeout(Duration.ofSeconds(7))
                    .useSsl()
                    .verifyPeer(SslVerifyMode.CA)
                    .startTls()));
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void withCredentialsThatAreProvided(RedisConfiguration configuration) {
    compare(
        configuration,
        factory(
            configuration,
            settings ->
                settings.redisCredentialsProviderFactory(
                    new RedisCredentialsProviderFactory() {
                      @Override
                      public RedisCredentialsProvider createCredentialsProvider(
                          RedisConfiguration of) {
                        return RedisCredentialsProvider.from(
                            () -> RedisCredentials.just("renewed", "often"));
                      }
                    })));
  }

  private static void compare(RedisConfiguration configuration, LettuceConnectionFactory factory) {
    factory.setAutoStartup(false);
    factory.afterPropertiesSet();
    factory.start();
    try {
      List<RedisURI> own = urisOf(factory.getRequiredNativeClient());
      List<RedisURI> ours = FactoryUris.of(factory, configuration);
      assertThat(ours)
          .usingRecursiveComparison()
          .withEqualsForType(
              (one, other) -> shown(one).equals(shown(other)), RedisCredentialsProvider.class)
          .ignoringFieldsMatchingRegexes(".*credentialsProvider.*")
          .isEqualTo(own);
      assertThat(credentials(ours)).isEqualTo(credentials(own));
    } finally {
      factory.destroy();
    }
  }

  private static List<String> credentials(List<RedisURI> uris) {
    return uris.stream()
        .flatMap(uri -> Stream.concat(Stream.of(uri), uri.getSentinels().stream()))
        .map(uri -> shown(uri.getCredentialsProvider()))
        .toList();
  }

  private static String shown(RedisCredentialsProvider provider) {
    RedisCredentials credentials = provider.resolveCredentials().block();
    return credentials.getUsername()
        + ":"
        + (credentials.hasPassword() ? new String(credentials.getPassword()) : null);
  }

  @SuppressWarnings("unchecked") // The types of Lettuce's own fields.
  private static List<RedisURI> urisOf(AbstractRedisClient client) {
    DirectFieldAccessor fields = new DirectFieldAccessor(client);
    List<RedisURI> uris = new ArrayList<>();
    if (client instanceof RedisClusterClient) {
      ((Iterable<RedisURI>) fields.getPropertyValue("initialUris")).forEach(uris::add);
    } else {
      uris.add((RedisURI) fields.getPropertyValue("redisURI"));
    }
    return uris;
  }

  /** Whose user no getter has. */
  record OwnConfiguration(String host, int port)
      implements RedisConfiguration, RedisConfiguration.WithHostAndPort {

    @Override
    public String getHostName() {
      return host;
    }

    @Override
    public int getPort() {
      return port;
    }

    @Override
    public void setHostName(String name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void setPort(int number) {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void configurationOfAnotherKind_isNotGuessed() {
    RedisConfiguration own = new OwnConfiguration("redis.example", 1);
    LettuceConnectionFactory factory = factory(own, settings -> {});
    assertThatThrownBy(() -> FactoryUris.of(factory, own))
        .isInstanceOf(UnknownServersException.class)
        .hasMessageContaining("RedisStandaloneConfiguration");
  }
}
