// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Batch;
import dev.sheaf.Sheaf;
import dev.sheaf.scripts.Arg;
import dev.sheaf.scripts.Keys;
import dev.sheaf.scripts.LuaScript;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ScriptException;
import dev.sheaf.scripts.ScriptLibrary;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Scripts on the server: declared in an interface, from the library, and for very many keys. */
public final class ScriptExample {

  private ScriptExample() {}

  /** A script as a method. The file is checked and loaded when the object is created. */
  interface Carts {
    @LuaScript("classpath:dev/sheaf/examples/add_article.lua")
    long add(@Keys String cart, @Arg String article);
  }

  public static void main(String[] arguments) {
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> carts =
          IntStream.rangeClosed(1, 1_500).mapToObj(i -> "example:cart:" + i).toList();
      try (Batch<String, String> batch = sheaf.batch()) {
        carts.forEach(cart -> batch.add(redis -> redis.sadd(cart, "apple", "pear")));
      }

      Carts scripts = sheaf.scripts().bind(Carts.class);
      System.out.println("cart 1: " + scripts.add(carts.get(0), "pear") + " articles");

      RegisteredScript<String, Long> sum = sheaf.scripts().register(ScriptLibrary.SUM_SCARD);
      long articles = sum.scatter(carts, List.of(), Collectors.summingLong(size -> size));
      System.out.println("all carts: " + articles + " articles");

      sheaf.sync().scriptFlush();
      System.out.println(
          "after another client flushed the scripts: " + scripts.add(carts.get(0), "plum"));

      RegisteredScript<String, Boolean> change =
          sheaf.scripts().register(ScriptLibrary.COMPARE_AND_SET);
      sheaf.sync().set("example:state", "open");
      boolean first = change.call(List.of("example:state"), "open", "paid");
      boolean second = change.call(List.of("example:state"), "open", "paid");
      System.out.println("changed by comparing: " + first + ", then: " + second);

      try {
        sum.call(List.of("example:state"));
      } catch (ScriptException e) {
        // The message has the name of the script and quotes the server.
        boolean onServer = e.getCause() instanceof RedisCommandExecutionException;
        System.out.println("failed on the server: " + onServer);
      }

      try (Batch<String, String> batch = sheaf.batch()) {
        carts.forEach(cart -> batch.add(redis -> redis.del(cart)));
        batch.add(redis -> redis.del("example:state"));
      }
    }
  }
}
