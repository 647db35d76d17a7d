// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application. It needs nothing installed; the page is at {@code http://localhost:8080}. */
@SpringBootApplication(proxyBeanMethods = false)
public class ShopApplication {

  /**
   * Runs until the process is ended.
   *
   * @param arguments Spring Boot's, such as {@code --spring.data.redis.host=…}
   */
  public static void main(String[] arguments) {
    SpringApplication.run(ShopApplication.class, arguments);
  }
}
