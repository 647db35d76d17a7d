// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import java.util.List;
import java.util.Map;

/** Many keys in one round trip, with an outcome for each key. */
public final class ManyKeys {

  private ManyKeys() {}

  public static void main(String[] arguments) {
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {

      sheaf.sync().set("example:apple", "red");
      sheaf.sync().lpush("example:basket", "pear", "plum");

      Map<String, Result<String>> results =
          sheaf.getAll(List.of("example:apple", "example:banana", "example:basket"));
      results.forEach((key, result) -> System.out.println(key + ": " + describe(result)));

      sheaf.sync().del("example:apple");
      sheaf.sync().del("example:basket");
    }
  }

  private static String describe(Result<String> result) {
    if (result instanceof Result.Value<String> found) {
      return found.value();
    }
    if (result instanceof Result.Failure<String> failure) {
      return "failed, " + failure.error().getMessage();
    }
    return "absent";
  }
}
