package dev.sheaf.examples;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityOptions;
import java.time.Duration;

/** Asks before a read whether Redis can be used, and hears when that changes. */
public final class AvailabilityExample {

  private AvailabilityExample() {}

  public static void main(String[] arguments) {
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).availability(AvailabilityOptions.defaults()).connect()) {
      Availability<String> availability = sheaf.availability();
      Availability.Registration listening =
          availability.onChange(change -> System.out.println("Redis is " + change.after().state()));

      Duration roundTrip = availability.withTimeout(Duration.ofSeconds(10)).ping();
      System.out.println("answered: " + !roundTrip.isNegative());

      if (availability.isAvailable("example:apple")) {
        sheaf.sync().set("example:apple", "red");
        System.out.println("example:apple: " + sheaf.sync().get("example:apple"));
        sheaf.sync().del("example:apple");
      }
      System.out.println("state: " + availability.status().state());
      listening.close();
    }
  }
}
