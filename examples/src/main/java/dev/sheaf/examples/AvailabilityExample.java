// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityState;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Checks before a read whether Redis can be used, and listens to changes. */
public final class AvailabilityExample {

  private AvailabilityExample() {}

  public static void main(String[] arguments) throws InterruptedException {
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).availability(AvailabilityOptions.defaults()).connect()) {
      Availability<String> availability = sheaf.availability();
      CountDownLatch down = new CountDownLatch(1);
      Availability.Registration listening =
          availability.onChange(
              change -> {
                if (change.node() == null) { // the status of all nodes together
                  System.out.println("Redis is " + change.after().state());
                  if (change.after().state() == AvailabilityState.DOWN) {
                    down.countDown();
                  }
                }
              });

      Duration roundTrip = availability.withTimeout(Duration.ofSeconds(10)).ping();
      System.out.println("answered: " + !roundTrip.isNegative());

      if (availability.isAvailable("example:apple")) {
        sheaf.sync().set("example:apple", "red");
        System.out.println("example:apple: " + sheaf.sync().get("example:apple"));
        sheaf.sync().del("example:apple");
      }
      System.out.println("state: " + availability.status().state());

      if (server.crash()) {
        boolean heard = down.await(10, TimeUnit.SECONDS);
        System.out.println("heard of it: " + heard);
        System.out.println("asked again: " + availability.isAvailable("example:apple"));
      }
      listening.close();
    }
  }
}
