// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.internal.protocol.CommandException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts that break the native Lua, or keep it from hearing anything: each is an error. */
@Timeout(180)
@Tag("slow")
class LuaSafetyTest {
  private static final long SEED = 41;
  private static final int RANDOM_PATTERNS = 20_000;

  private final AtomicInteger polls = new AtomicInteger();
  private volatile int pollsUntilKilled = Integer.MAX_VALUE;
  private final TestEngine engine =
      new TestEngine(
          new TinyHost() {
            @Override
            public boolean interrupted() {
              return polls.incrementAndGet() > pollsUntilKilled;
            }
          });

  @AfterEach
  void close() {
    engine.close();
  }

  private @Nullable Object eval(String source, String... args) {
    byte[] script = TinyHost.bytes(source);
    List<byte[]> words = List.of(args).stream().map(TinyHost::bytes).toList();
    Object reply = engine.eval(script, List.of(), words);
    return reply instanceof byte[] bytes ? TinyHost.text(bytes) : reply;
  }

  private static String parameters(int count) {
    return IntStream.range(0, count).mapToObj(i -> "p" + i).collect(Collectors.joining(","));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-2, 2147483647", "0, 2147483647", "-2147483648, 2147483647", "1, 1e7"})
  void unpackOfMoreThanFits_isAnError(String range) {
    assertThatThrownBy(() -> eval("return {unpack({1, 2, 3}, " + range + ")}"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("too many results to unpack");
  }

  @Test
  void unpackOfARange_staysWhatItIs() {
    assertThat(eval("return select('#', unpack({}, -2147483648, -2147483646))")).isEqualTo(3L);
    assertThat(eval("return select('#', unpack({}, 2, 1))")).isEqualTo(0L);
  }

  @Test
  void functionOfManyFixedParametersAndDots_isNotCompiled() {
    String function = "local f = function(" + parameters(190) + ", ...) return 1 end";
    String nested = "local g = function() " + function + " return f() end return g()";
    for (String source : List.of(function + " return f()", nested)) {
      assertThatThrownBy(() -> eval(source))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("190 fixed parameters and '...'");
    }
    assertThat(eval("local f, why = loadstring(ARGV[1]) return tostring(f) .. why", nested))
        .asString()
        .startsWith("nil")
        .contains("190 fixed parameters");
    byte[] library =
        TinyHost.bytes("#!lua name=x\nredis.register_function('f', function() end) " + function);
    assertThatThrownBy(() -> engine.lua.load(library)).hasMessageContaining("190 fixed parameters");
  }

  @Test
  void functionsOfFewParameters_orWithoutDots_run() {
    String few = "local f = function(" + parameters(3) + ", ...) return select('#', ...) end ";
    assertThat(eval(few + "return f(1, 2, 3, 4, 5)")).isEqualTo(2L);
    String many = "local f = function(" + parameters(190) + ") return p0 == nil end ";
    assertThat(eval(many + "return f() and '...'")).isEqualTo("...");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "return string.find(('a'):rep(30000), ('a*'):rep(20) .. 'b')",
        "return string.match(('a'):rep(30000), ('a-'):rep(20) .. 'b')",
        "return (string.gsub(('a'):rep(30000), ('a+'):rep(20) .. 'b', ''))",
        "for x in string.gmatch(('a'):rep(30000), ('a*'):rep(20) .. 'b') do end",
        "return string.find(('a'):rep(30), ('a?'):rep(30) .. ('a'):rep(31))"
      })
  void patternThatWouldTakeYears_isAnError(String source) {
    assertThatThrownBy(() -> eval(source))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("pattern too complex (more than ");
  }

  @Test
  void searchUnderWay_isEndedWithItsScript() {
    pollsUntilKilled = 3;
    String source = "while true do pcall(string.find, ('a'):rep(30000), ('a*'):rep(20) .. 'b') end";
    assertThatThrownBy(() -> eval(source))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("SCRIPT KILL");
  }

  @Test
  void longTextsWithOrdinaryPatterns_areSearched() {
    assertThat(eval("return select(2, string.gsub(('word 12, '):rep(300000), '(%w+)%s*', '%1'))"))
        .isEqualTo(600_000L);
    assertThat(eval("return string.find(('a'):rep(1000000) .. 'a*b', 'a*b', 1, true)"))
        .isEqualTo(1_000_001L);
  }

  /** What is counted has to be what Lua does. */
  @Test
  void countedSearch_endsWhereLuasEnds() {
    Random random = new Random(SEED);
    String items = "ab.%%%(()[]^$*+-?bf1aAdwsz";
    for (int i = 0; i < RANDOM_PATTERNS; i++) {
      String pattern = text(random, items, 1 + random.nextInt(10));
      String text = text(random, "ab1 ", random.nextInt(12));
      int init = random.nextInt(4);
      int end =
          PatternSteps.check(
              TinyHost.bytes(text),
              TinyHost.bytes(pattern),
              Math.min(init, text.length()),
              PatternSteps.Search.FIRST,
              () -> {});
      Object luas =
          eval(
              "local ok, from, to = pcall(string.find, ARGV[1], ARGV[2], ARGV[3] + 1)"
                  + " return ok and to or -1",
              text,
              pattern,
              "" + init);
      assertThat((long) end).as("%s in %s from %s", pattern, text, init).isEqualTo(luas);
    }
  }

  private static String text(Random random, String alphabet, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString();
  }

  @Test
  void repetition_isBoundedByWhatAReplyHolds() {
    assertThatThrownBy(() -> eval("return #string.rep('x', 600 * 1024 * 1024)"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("resulting string too large (at most 536870912 bytes)");
    assertThat(eval("return string.rep('', 2147483647)")).isEqualTo("");
    assertThat(eval("return string.rep('ab', -3) .. string.rep('ab', 2)")).isEqualTo("abab");
  }

  @Test
  void memoryOfLargeStrings_isFreedWithTheirScript() {
    eval("local s = string.rep('x', 32 * 1024 * 1024) s = s .. 'y' return #s");
    assertThat(engine.lua.memoryBytes()).isLessThan(LuaEngine.MAX_IDLE_BYTES);
  }

  /** The buffer of a concatenation is as long as the longest one, and outlives it. */
  @Test
  void bufferOfLargeConcatenations_isGivenBack() {
    eval("local s = string.rep('x', 128 * 1024 * 1024) local n = #(s .. s) return n");
    assertThat(engine.lua.memoryBytes()).isLessThan(LuaEngine.MAX_IDLE_BYTES);
  }

  @Test
  void scriptThatHoldsTooMuch_isEnded_whateverItCatches() {
    engine.lua.limits.maxScriptBytes = 8 * 1024 * 1024;
    String fill = "local t = {} while true do t[#t + 1] = string.rep('x', 1000) .. #t end";
    for (String script : List.of(fill, "pcall(function() " + fill + " end)\nreturn 1")) {
      assertThatThrownBy(() -> eval(script))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("MAX_SCRIPT_BYTES");
    }
    String drop = "local n = 0 for i = 1, 40000 do n = n + #(string.rep('x', 1000) .. i) end";
    assertThat(eval(drop + " return n > 0")).isEqualTo(1L);
  }

  @Test
  void chunkNamesWithNul_surviveTheCollector() {
    String source = "local t = {} for i = 1, 2000 do t[i] = '\"' .. i .. '\",' end ";
    assertThat(
            eval(
                source
                    + "local f = loadstring('return {' .. table.concat(t) .. '}', 'name\\0' .."
                    + " ('n'):rep(100)) collectgarbage() return #f()"))
        .isEqualTo(2000L);
  }
}
