// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.LoopReport;
import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityState;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The application with the starter and nothing configured: on the embedded server. */
@SpringBootTest(classes = ShopApplication.class)
class ApplicationTest extends ApplicationContract {

  @Autowired Sheaf<String, String> sheaf;

  @Autowired Counter counter;

  @Test
  void interfaceOfScripts_isABeanThatOutlivesARestart() {
    assertThat(counter.add(List.of("counter"), 2)).isEqualTo(2);
    LettuceConnectionFactory lettuce = (LettuceConnectionFactory) factory;
    lettuce.stop();
    lettuce.start();
    assertThat(counter.add(List.of("counter"), 3)).isEqualTo(5);
  }

  @Test
  void sheafBean_worksBesideTheTemplates() {
    strings.opsForValue().set("beside", "template");
    assertThat(sheaf.sync().get("beside")).isEqualTo("template");
    sheaf.async().set("beside", "sheaf").toCompletableFuture().join();
    assertThat(strings.opsForValue().get("beside")).isEqualTo("sheaf");
    assertThat(sheaf.availability().isAvailable()).isTrue();
    assertThat(sheaf.availability().status().state()).isEqualTo(AvailabilityState.UP);
  }

  @Test
  void aLoopOverTemplateCalls_isFoundWithItsPlace() {
    for (int i = 0; i < 64; i++) {
      strings.opsForHash().get("hash", "field" + i);
    }
    assertThat(sheaf.loops())
        .filteredOn(loop -> loop.command().equals("HGET"))
        .extracting(LoopReport::callSite)
        .anyMatch(place -> place.startsWith(getClass().getName()));
  }
}
