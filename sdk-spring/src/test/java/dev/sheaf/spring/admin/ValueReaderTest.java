// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.inspector.InspectionLimits;
import dev.sheaf.spring.admin.SheafValueEndpoint.Refusal;
import dev.sheaf.spring.admin.ValueReader.NotReadException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;

/** What happens while Redis is slow, gone or says no. */
class ValueReaderTest {

  private static final byte[] KEY = "page:1".getBytes(StandardCharsets.UTF_8);
  private static final Duration TIMEOUT = Duration.ofMillis(300);

  private final EmbeddedServer server = EmbeddedServer.start();
  private final LatencyProxy proxy =
      LatencyProxy.builder().target("127.0.0.1", server.port()).start();
  private final Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port());
  private final ClientState states = new ClientState();
  private final ValueReader reader = new ValueReader(InspectionLimits.defaults(), TIMEOUT, 2);

  @AfterEach
  void close() {
    reader.close();
    states.close();
    sheaf.close();
    proxy.close();
    server.close();
  }

  @Test
  void silentServer_isGivenUp() {
    sheaf.sync().set("page:1", "x");
    proxy.blackHole(true);

    assertThatThrownBy(() -> reader.read(sheaf, KEY))
        .isInstanceOf(NotReadException.class)
        .hasMessageContaining("sheaf.admin.timeout=300ms");
  }

  @Test
  void silentServer_leavesNoThreadBehind() throws Exception {
    sheaf.sync().set("page:1", "x");
    proxy.blackHole(true);
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> reader.read(sheaf, KEY)).isInstanceOf(NotReadException.class);
    }
    proxy.blackHole(false);

    // Signs of life may come from one connection before the other is found lost.
    Await.until(this::keyIsRead);
  }

  private boolean keyIsRead() {
    try {
      return reader.read(sheaf, KEY).exists();
    } catch (NotReadException stillAway) {
      return false;
    }
  }

  @Test
  void lostServer_isNotAskedWhileItIsDown() {
    sheaf.availability().isAvailable();
    proxy.refuse(true);
    proxy.dropConnections();
    Await.until(() -> sheaf.availability().status().state() == AvailabilityState.DOWN);
    SheafValueEndpoint endpoint = endpoint();

    WebEndpointResponse<Object> answer = endpoint.read("page:1", null, SecurityContext.NONE);

    assertThat(answer.getStatus()).isEqualTo(503);
    Refusal refusal = (Refusal) answer.getBody();
    assertThat(refusal.message()).isEqualTo("Redis is DOWN.");
    assertThat(refusal.guard().state()).isEqualTo("DOWN");
    assertThat(refusal.guard().nodes()).hasSize(1);
  }

  @Test
  void readThatIsNotAllowed_isRefusedWithoutTheServersWords() {
    server.faults().failNext("TYPE", 1, "NOPERM User x has no permissions to run 'type'");

    WebEndpointResponse<Object> answer = endpoint().read("page:1", null, SecurityContext.NONE);

    assertThat(answer.getStatus()).isEqualTo(403);
    assertThat(((Refusal) answer.getBody()).error()).isEqualTo("refused");
  }

  @Test
  void serverThatIsLoading_isUnavailable() {
    server.faults().failNext("TYPE", 1, "LOADING Redis is loading the dataset in memory");

    WebEndpointResponse<Object> answer = endpoint().read("page:1", null, SecurityContext.NONE);

    assertThat(answer.getStatus()).isEqualTo(503);
  }

  @Test
  void manyReadsAtOnce_areRefusedAndNotPiledUp() {
    sheaf.sync().set("page:1", "x");
    proxy.blackHole(true);
    List<CompletableFuture<String>> reads = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      reads.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return reader.read(sheaf, KEY).type();
                } catch (NotReadException e) {
                  return e.getMessage();
                }
              },
              task -> new Thread(task).start()));
    }

    assertThat(reads).allSatisfy(read -> assertThat(read.join()).isNotEqualTo("string"));
    assertThat(reads).anySatisfy(read -> assertThat(read.join()).contains("max-concurrent-reads"));
  }

  @Test
  void withoutAClient_isUnavailable() {
    SheafValueEndpoint endpoint =
        new SheafValueEndpoint(
            new StaticListableBeanFactory().getBeanProvider(clientType()),
            BoundProperties.bound(),
            reader,
            states,
            new ReadAudit(event -> {}));

    assertThat(endpoint.read("page:1", null, SecurityContext.NONE).getStatus()).isEqualTo(503);
  }

  @Test
  void anonymousUserOfSpringSecurity_isNobody() {
    sheaf.sync().set("page:1", "42");
    Principal anonymous =
        new AnonymousAuthenticationToken(
            "key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));
    Principal user =
        new TestingAuthenticationToken("user", "x", AuthorityUtils.createAuthorityList("ROLE_A"));

    assertThat(valueShownTo(anonymous)).isFalse();
    assertThat(valueShownTo(user)).isTrue();
  }

  private boolean valueShownTo(Principal principal) {
    SheafAdminProperties properties =
        BoundProperties.bound(Map.of("show-values", Show.WHEN_AUTHORIZED));
    StaticListableBeanFactory beans = new StaticListableBeanFactory();
    beans.addBean("sheaf", sheaf);
    SheafValueEndpoint endpoint =
        new SheafValueEndpoint(
            beans.getBeanProvider(clientType()),
            properties,
            reader,
            states,
            new ReadAudit(event -> {}));
    SecurityContext context =
        new SecurityContext() {
          @Override
          public Principal getPrincipal() {
            return principal;
          }

          @Override
          public boolean isUserInRole(String role) {
            return false;
          }
        };
    return ((ValueReport) endpoint.read("page:1", null, context).getBody()).valuesShown();
  }

  @Test
  void closedClient_isUnavailable() {
    sheaf.close();

    WebEndpointResponse<Object> answer = endpoint().read("page:1", null, SecurityContext.NONE);

    assertThat(answer.getStatus()).isEqualTo(503);
  }

  @Test
  void clientThatIsStillConnecting_isNotWaitedFor() {
    CountDownLatch connected = new CountDownLatch(1);
    Sheaf<?, ?> connecting =
        (Sheaf<?, ?>)
            Proxy.newProxyInstance(
                Sheaf.class.getClassLoader(),
                new Class<?>[] {Sheaf.class},
                (proxy, method, arguments) -> {
                  awaitWhateverHappens(connected);
                  return method.invoke(sheaf, arguments);
                });

    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> reader.read(connecting, KEY)).isInstanceOf(NotReadException.class);
      assertThat(states.of(connecting)).isNull();
    }

    connected.countDown();
    Await.until(() -> states.of(connecting) != null);
  }

  private static void awaitWhateverHappens(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        // As one who waits for a lock.
      }
    }
  }

  @Test
  void auditThatFails_preventsTheAnswer() {
    sheaf.sync().set("page:1", "x");
    StaticListableBeanFactory beans = new StaticListableBeanFactory();
    beans.addBean("sheaf", sheaf);
    SheafValueEndpoint endpoint =
        new SheafValueEndpoint(
            beans.getBeanProvider(clientType()),
            BoundProperties.bound(),
            reader,
            states,
            new ReadAudit(
                event -> {
                  throw new IllegalStateException("no disk");
                }));

    assertThatThrownBy(() -> endpoint.read("page:1", null, SecurityContext.NONE))
        .hasMessage("no disk");
  }

  private SheafValueEndpoint endpoint() {
    StaticListableBeanFactory beans = new StaticListableBeanFactory();
    beans.addBean("sheaf", sheaf);
    return new SheafValueEndpoint(
        beans.getBeanProvider(clientType()),
        BoundProperties.bound(),
        reader,
        states,
        new ReadAudit(event -> {}));
  }

  @SuppressWarnings("unchecked")
  private static Class<Sheaf<?, ?>> clientType() {
    return (Class<Sheaf<?, ?>>) (Class<?>) Sheaf.class;
  }
}
