// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.CommandProxy;
import dev.sheaf.testkit.RespConnection;
import dev.sheaf.testkit.StreamingCredentials;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Set-ups that managed services and proxies have, as far as a test can have them too. */
class SetUpsTest {

  private static final Set<String> UNKNOWN_TO_PROXIES = Set.of("hello", "client", "mget", "hmget");
  private static final List<String> KEYS_OF_ALL_NODES =
      IntStream.range(0, 60).mapToObj(i -> "key:0:" + i).toList();

  /** Threads and futures that read and write side by side, so that there is something to batch. */
  static void use(Sheaf<String, String> sheaf) {
    use(sheaf, key -> sheaf.sync().set(key, key));
  }

  private static void use(Sheaf<String, String> sheaf, Consumer<String> set) {
    List<CompletableFuture<Void>> threads =
        IntStream.range(0, 8)
            .mapToObj(
                thread ->
                    CompletableFuture.runAsync(
                        () -> {
                          for (int i = 0; i < 20; i++) {
                            String key = "key:" + thread + ":" + i;
                            set.accept(key);
                            assertThat(sheaf.sync().get(key)).isEqualTo(key);
                          }
                        },
                        task -> new Thread(task).start()))
            .toList();
    threads.forEach(CompletableFuture::join);
    List<String> keys = IntStream.range(0, 20).mapToObj(i -> "key:0:" + i).toList();
    Map<String, Result<String>> all = sheaf.getAll(keys);
    keys.forEach(key -> assertThat(all.get(key).orNull()).isEqualTo(key));
  }

  private static void administer(EmbeddedServer server, String... command) {
    try (RespConnection admin = RespConnection.open("127.0.0.1", server.port())) {
      admin.call(command);
    }
  }

  @Test
  void userWithoutMget_getsEveryValue() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      administer(
          server, "ACL", "SETUSER", "shop", "on", ">secret", "~*", "+@all", "-mget", "-hmget");
      try (Sheaf<String, String> sheaf =
          Sheaf.connect("redis://shop:secret@127.0.0.1:" + server.port())) {
        use(sheaf);
      }
    }
  }

  @Test
  void userOfFewCommandsAndOnePrefix_getsEveryValue() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      administer(
          server, "ACL", "SETUSER", "shop", "on", ">secret", "~key:*", "+get", "+set", "+ping");
      try (Sheaf<String, String> sheaf =
          Sheaf.connect("redis://shop:secret@127.0.0.1:" + server.port())) {
        use(sheaf);
        assertThat(sheaf.availability().isAvailable()).isTrue();
      }
    }
  }

  @Test
  void proxyThatKnowsNoHelloNoClientAndNoMget_isServedWithResp2AndGets() {
    try (EmbeddedServer server = EmbeddedServer.start();
        CommandProxy proxy =
            CommandProxy.before(server.port(), name -> !UNKNOWN_TO_PROXIES.contains(name));
        Sheaf<String, String> sheaf = Sheaf.connect(proxy.uri())) {
      use(sheaf);
      assertThat(proxy.refused()).contains("hello", "mget");
    }
  }

  @Test
  void proxyThatSpeaksResp2_isSentMget() {
    try (EmbeddedServer server = EmbeddedServer.start();
        CommandProxy proxy =
            CommandProxy.before(
                server.port(), name -> !name.equals("hello") && !name.equals("client"));
        Sheaf<String, String> sheaf = Sheaf.connect(proxy.uri())) {
      use(sheaf);
      assertThat(server.stats().count("mget")).isPositive();
    }
  }

  /** Each new connection asks for what holds now. */
  @Test
  void passwordThatChanges_isThatOfTheNextConnection() {
    try (EmbeddedServer server = EmbeddedServer.builder().password("first").start()) {
      List<String> asked = new ArrayList<>(List.of("first"));
      RedisURI uri = RedisURI.create("redis://127.0.0.1:" + server.port());
      uri.setCredentialsProvider(
          () ->
              Mono.fromSupplier(
                  () -> RedisCredentials.just("default", asked.get(asked.size() - 1))));
      try (Sheaf<String, String> sheaf = Sheaf.builder(List.of(uri)).connect()) {
        use(sheaf);
        sheaf.sync().configSet("requirepass", "second");
        asked.add("second");
        server.restart();
        use(sheaf, key -> setAcrossLostConnections(sheaf, key));
      }
    }
  }

  /** Each lane may learn of its loss by a write of its own, whose outcome is unknown then. */
  private static void setAcrossLostConnections(Sheaf<String, String> sheaf, String key) {
    for (int lost = 0; ; lost++) {
      try {
        sheaf.sync().set(key, key);
        return;
      } catch (OutcomeUnknownException e) {
        assertThat(lost).as("connections lost").isLessThan(8);
      }
    }
  }

  /** What rotates while a connection lives is sent to it, without a reconnect. */
  @Test
  void credentialsThatAreRenewed_areSentToOpenConnections() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      administer(server, "ACL", "SETUSER", "shop", "on", ">first", "~*", "+@all");
      administer(server, "ACL", "SETUSER", "renewed", "on", ">second", "~*", "+@all");
      StreamingCredentials credentials =
          new StreamingCredentials(RedisCredentials.just("shop", "first"));
      RedisURI uri = RedisURI.create("redis://127.0.0.1:" + server.port());
      uri.setCredentialsProvider(credentials);
      ClientOptions options =
          ClientOptions.builder()
              .reauthenticateBehavior(ClientOptions.ReauthenticateBehavior.ON_NEW_CREDENTIALS)
              .build();
      try (Sheaf<String, String> sheaf =
          Sheaf.builder(List.of(uri)).clientOptions(options).connect()) {
        use(sheaf);
        assertThat(sheaf.sync().aclWhoami()).isEqualTo("shop");
        credentials.renew(RedisCredentials.just("renewed", "second"));
        Await.until(
            "the renewed user",
            Duration.ofSeconds(60),
            () -> sheaf.sync().aclWhoami().equals("renewed"));
        use(sheaf);
      }
    }
  }

  /** As tokens of a cloud are: each is refused soon, and connections are cut now and then. */
  @Test
  void passwordsThatExpire_areFollowedByEachNodeOfACluster() {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start()) {
      administerAll(server, "ACL", "SETUSER", "shop", "on", ">token-0", "~*", "&*", "+@all");
      StreamingCredentials credentials =
          new StreamingCredentials(RedisCredentials.just("shop", "token-0"));
      RedisURI uri = RedisURI.create(server.uri());
      uri.setCredentialsProvider(credentials);
      ClientOptions options =
          ClientOptions.builder()
              .reauthenticateBehavior(ClientOptions.ReauthenticateBehavior.ON_NEW_CREDENTIALS)
              .build();
      try (Sheaf<String, String> sheaf =
          Sheaf.builder(List.of(uri)).clientOptions(options).connect()) {
        use(sheaf);
        for (int renewal = 1; renewal <= 3; renewal++) {
          String token = "token-" + renewal;
          // What was given before opens no connection from now on.
          administerAll(server, "ACL", "SETUSER", "shop", "resetpass", ">" + token);
          server.resetStats();
          credentials.renew(RedisCredentials.just("shop", token));
          Await.until(
              "AUTH on open connections",
              Duration.ofSeconds(60),
              () -> server.nodes().stream().allMatch(node -> node.stats().count("auth") > 0));
          administerAll(server, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
          Await.until(
              "connections to all nodes",
              Duration.ofSeconds(60),
              () -> sheaf.getAll(KEYS_OF_ALL_NODES).values().stream().noneMatch(Result::isFailure));
          use(sheaf, key -> setAcrossLostConnections(sheaf, key));
        }
      }
    }
  }

  private static void administerAll(EmbeddedServer server, String... command) {
    for (EmbeddedNode node : server.nodes()) {
      try (RespConnection admin = RespConnection.open("127.0.0.1", node.port())) {
        admin.call(command);
      }
    }
  }

  /** The nodes announce addresses that only their own network has; a resolver knows ours. */
  @Test
  void clusterBehindNat_isReachedByItsMapping() {
    Map<Integer, Integer> mapping = new ConcurrentHashMap<>();
    ClientResources resources =
        DefaultClientResources.builder()
            .socketAddressResolver(
                MappingSocketAddressResolver.create(
                    DnsResolvers.UNRESOLVED,
                    address ->
                        HostAndPort.of(
                            address.getHostText(),
                            mapping.getOrDefault(address.getPort(), address.getPort()))))
            .build();
    List<LatencyProxy> proxies = new ArrayList<>();
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start()) {
      int announced = 1; // Where nothing listens.
      for (EmbeddedNode node : server.nodes()) {
        LatencyProxy gateway = LatencyProxy.builder().target("127.0.0.1", node.port()).start();
        proxies.add(gateway);
        mapping.put(announced, gateway.port());
        node.announcePort(announced++);
      }
      try (Sheaf<String, String> sheaf =
          Sheaf.builder("redis://127.0.0.1:" + proxies.get(0).port())
              .clientResources(resources)
              .connect()) {
        assertThat(sheaf.isCluster()).isTrue();
        use(sheaf);
        assertThat(server.nodes())
            .allSatisfy(node -> assertThat(node.stats().count("set")).isPositive());
      }
    } finally {
      proxies.forEach(LatencyProxy::close);
      resources.shutdown();
    }
  }
}
