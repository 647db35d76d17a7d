// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import reactor.core.publisher.Mono;

class DeclaredScriptsContractTest {

  interface Good {
    @LuaScript(value = "classpath:lua/sum.lua", readOnly = true)
    long sum(@Keys List<String> keys, @Arg long start);

    @LuaScript("classpath:lua/sum.lua")
    CompletableFuture<Integer> sumLater(@Arg int start, @Keys String... keys);

    @LuaScript("lua/sum.lua")
    Mono<Long> sumReactive(@Keys Collection<String> keys, @Arg String start);

    @LuaScript(value = "/lua/echo.lua", name = "echo")
    List<String> echo(@Keys String key, @Arg TimeUnit unit, @Arg boolean flag);

    @LuaScript("lua/echo.lua")
    void ignored(@Keys String key, @Arg byte[] one, @Arg double two);

    default long twice(String key) {
      return 2 * sum(List.of(key), 0);
    }
  }

  @ForEachServer
  void goodInterface_callsItsScripts(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Good scripts = sheaf.scripts().bind(Good.class);
      sheaf.sync().set("{t}a", "1");
      sheaf.sync().set("{t}b", "2");
      assertThat(scripts.sum(List.of("{t}a", "{t}b"), 10)).isEqualTo(13);
      assertThat(scripts.sumLater(1, "{t}a", "{t}b").join()).isEqualTo(4);
      assertThat(scripts.sumReactive(List.of("{t}b"), "0").block()).isEqualTo(2);
      assertThat(scripts.echo("k", TimeUnit.DAYS, true)).containsExactly("k", "DAYS", "1");
      scripts.ignored("k", new byte[0], 1.5);
      assertThat(scripts.twice("{t}b")).isEqualTo(4);
      assertThat(scripts).isEqualTo(scripts).hasToString("Scripts of " + Good.class.getName());
      assertThat(server.commandCalls()).containsKey("evalsha_ro");
    }
  }

  interface TwoKeyLists {
    @LuaScript("lua/sum.lua")
    long sum(@Keys List<String> one, @Keys List<String> two);
  }

  interface MissingFile {
    @LuaScript("classpath:lua/nowhere.lua")
    long sum(@Keys List<String> keys);
  }

  interface SyntaxError {
    @LuaScript("classpath:lua/broken.lua")
    long broken(@Keys List<String> keys);
  }

  interface WrongArg {
    @LuaScript("lua/sum.lua")
    long sum(@Keys List<String> keys, @Arg Map<String, String> arg);
  }

  interface WrongKeys {
    @LuaScript("lua/sum.lua")
    long sum(@Keys List<Integer> keys);
  }

  interface WrongResult {
    @LuaScript("lua/sum.lua")
    java.time.Duration sum(@Keys List<String> keys);
  }

  interface RawFuture {
    @SuppressWarnings("rawtypes")
    @LuaScript("lua/sum.lua")
    CompletableFuture sum(@Keys List<String> keys);
  }

  interface Unmarked {
    @LuaScript("lua/sum.lua")
    long sum(List<String> keys);
  }

  interface BothMarks {
    @LuaScript("lua/sum.lua")
    long sum(@Keys @Arg String key);
  }

  interface NoScript {
    long sum(@Keys List<String> keys);
  }

  @ForEachServer
  void badInterfaces_areRefusedBeforeTheFirstCall(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      refused(sheaf, TwoKeyLists.class)
          .hasMessageContaining("TwoKeyLists.sum")
          .hasMessageContaining("lua/sum.lua")
          .hasMessageContaining("parameter 2 is a second list of keys, after parameter 1");
      refused(sheaf, MissingFile.class)
          .hasMessageContaining("MissingFile.sum")
          .hasMessageContaining("no file 'lua/nowhere.lua' on the class path");
      refused(sheaf, SyntaxError.class)
          .hasMessageContaining("SyntaxError.broken")
          .hasMessageContaining("classpath:lua/broken.lua, line 2: unexpected symbol near '='");
      refused(sheaf, WrongArg.class)
          .hasMessageContaining("parameter 2 is an @Arg of type java.util.Map;");
      refused(sheaf, WrongKeys.class)
          .hasMessageContaining("parameter 1 is @Keys of type java.util.List<java.lang.Integer>")
          .hasMessageContaining("keys of this client are java.lang.String");
      refused(sheaf, WrongResult.class)
          .hasMessageContaining("returns java.time.Duration, which no script can");
      refused(sheaf, RawFuture.class).hasMessageContaining("raw type");
      refused(sheaf, Unmarked.class).hasMessageContaining("parameter 1 needs @Keys or @Arg");
      refused(sheaf, BothMarks.class).hasMessageContaining("parameter 1 is both @Keys and @Arg");
      refused(sheaf, NoScript.class).hasMessageContaining("has neither @LuaScript nor a body");
      refused(sheaf, String.class).hasMessageContaining("is not an interface");
      assertThat(server.commandCalls().keySet()).noneMatch(command -> command.startsWith("eval"));
    }
  }

  private static AbstractThrowableAssert<?, ?> refused(Sheaf<String, String> sheaf, Class<?> type) {
    return assertThatThrownBy(() -> sheaf.scripts().bind(type)).isInstanceOf(ScriptException.class);
  }
}
