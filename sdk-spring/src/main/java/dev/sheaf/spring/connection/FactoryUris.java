// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import io.lettuce.core.DriverInfo;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;
import org.springframework.data.redis.util.RedisClientLibraryInfo;
import org.springframework.util.StringUtils;

/** The URIs that Spring Data derives from the configuration of a factory. */
final class FactoryUris {

  private static final String UNKNOWN_KIND =
      "its RedisConfiguration is none of Spring Data's own, so its user is not known; give it a"
          + " RedisStandaloneConfiguration, RedisSentinelConfiguration, RedisClusterConfiguration"
          + " or RedisSocketConfiguration";

  private FactoryUris() {}

  /**
   * Returns the URIs of a factory for a server, a Unix socket, Sentinels or a cluster.
   *
   * @param given the configuration passed to the factory, if known
   * @throws UnknownServersException if the configuration is of another kind
   */
  static List<RedisURI> of(LettuceConnectionFactory factory, @Nullable RedisConfiguration given) {
    RedisClusterConfiguration cluster = factory.getClusterConfiguration();
    if (cluster != null) {
      return cluster.getClusterNodes().stream()
          .map(node -> uri(factory, cluster, node.getRequiredHost(), node.getRequiredPort()))
          .toList();
    }
    RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
    if (sentinel != null) {
      return List.of(uri(factory, sentinel));
    }
    RedisSocketConfiguration socket = factory.getSocketConfiguration();
    if (socket != null) {
      return List.of(
          authenticated(factory, socket, RedisURI.Builder.socket(socket.getSocket()))
              .withTimeout(factory.getClientConfiguration().getCommandTimeout())
              .withDatabase(factory.getDatabase())
              .build());
    }
    if (factory.isClusterAware() || factory.isRedisSentinelAware()) {
      throw new UnknownServersException(UNKNOWN_KIND);
    }
    RedisStandaloneConfiguration server = server(factory, given);
    return List.of(uri(factory, server, server.getHostName(), server.getPort()));
  }

  /** A factory that was created with its configuration as an interface has no getter for it. */
  private static RedisStandaloneConfiguration server(
      LettuceConnectionFactory factory, @Nullable RedisConfiguration given) {
    if (given == null) {
      return factory.getStandaloneConfiguration();
    }
    if (given instanceof RedisStandaloneConfiguration server) {
      return server;
    }
    throw new UnknownServersException(UNKNOWN_KIND);
  }

  private static <C extends RedisConfiguration & WithPassword> RedisURI uri(
      LettuceConnectionFactory factory, C configuration, String host, int port) {
    LettuceClientConfiguration client = factory.getClientConfiguration();
    RedisURI.Builder uri =
        authenticated(factory, configuration, RedisURI.Builder.redis(host, port));
    client.getClientName().ifPresent(uri::withClientName);
    return uri.withDatabase(factory.getDatabase())
        .withSsl(client.isUseSsl())
        .withVerifyPeer(client.getVerifyMode())
        .withStartTls(client.isStartTls())
        .withTimeout(client.getCommandTimeout())
        .withDriverInfo(
            DriverInfo.builder()
                .addUpstreamDriver(
                    RedisClientLibraryInfo.FRAMEWORK_NAME, RedisClientLibraryInfo.getVersion())
                .build())
        .build();
  }

  private static <C extends RedisConfiguration & WithPassword> RedisURI.Builder authenticated(
      LettuceConnectionFactory factory, C configuration, RedisURI.Builder uri) {
    String password = configuration.getPassword().toOptional().map(String::new).orElse(null);
    String user = configuration.getUsername();
    if (StringUtils.hasText(user)) {
      uri.withAuthentication(user, password == null ? "" : password);
    } else if (password != null) {
      uri.withPassword((CharSequence) password);
    }
    factory
        .getClientConfiguration()
        .getRedisCredentialsProviderFactory()
        .ifPresent(
            credentials ->
                uri.withAuthentication(credentials.createCredentialsProvider(configuration)));
    return uri;
  }

  private static RedisURI uri(
      LettuceConnectionFactory factory, RedisSentinelConfiguration configuration) {
    LettuceClientConfiguration client = factory.getClientConfiguration();
    RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(configuration);
    apply(client, uri);
    uri.getSentinels().forEach(sentinel -> apply(client, sentinel));
    uri.setDatabase(factory.getDatabase());
    client
        .getRedisCredentialsProviderFactory()
        .ifPresent(
            credentials -> {
              uri.setCredentialsProvider(credentials.createCredentialsProvider(configuration));
              RedisCredentialsProvider ofSentinels =
                  credentials.createSentinelCredentialsProvider(configuration);
              uri.getSentinels().forEach(each -> each.setCredentialsProvider(ofSentinels));
            });
    return uri;
  }

  private static void apply(LettuceClientConfiguration client, RedisURI uri) {
    client.getClientName().ifPresent(uri::setClientName);
    uri.setSsl(client.isUseSsl());
    uri.setVerifyPeer(client.getVerifyMode());
    uri.setStartTls(client.isStartTls());
    uri.setTimeout(client.getCommandTimeout());
  }
}
