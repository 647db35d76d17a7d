// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;

/** An application that knows Spring Data Redis and not Sheaf. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableCaching
class ShopApplication {

  @Bean
  Prices prices() {
    return new Prices();
  }

  /** Something to cache. */
  static class Prices {

    private final AtomicInteger looked = new AtomicInteger();

    /** How often the method ran; not a field, which a proxy would not have. */
    public int looked() {
      return looked.get();
    }

    @Cacheable("prices")
    public String of(String item) {
      looked.incrementAndGet();
      return "price of " + item;
    }

    @CacheEvict("prices")
    public void forget(String item) {
      // The annotation does it.
    }
  }
}
