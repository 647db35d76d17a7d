// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LuaEngineTest {

  private volatile boolean interrupt;
  private volatile @Nullable Object reply;
  private final List<List<byte[]>> commands = new ArrayList<>();
  private final TinyHost host =
      new TinyHost() {
        @Override
        @Nullable Object answer(byte[][] command) {
          commands.add(List.of(command));
          return text(command[0]).equals("reply") ? reply : super.answer(command);
        }

        @Override
        public boolean interrupted() {
          return interrupt;
        }
      };
  private final TestEngine engine = new TestEngine(host);

  @AfterEach
  void close() {
    engine.close();
  }

  private static byte[] bytes(String text) {
    return TinyHost.bytes(text);
  }

  private @Nullable Object eval(String source) {
    return eval(source, List.of(), List.of());
  }

  private @Nullable Object eval(String source, List<byte[]> keys, List<byte[]> args) {
    byte[] script = bytes(source);
    return shown(engine.eval(script, keys, args));
  }

  /** Strings instead of byte arrays, which do not compare. */
  private static @Nullable Object shown(@Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return TinyHost.text(bytes);
    }
    if (value instanceof List<?> list && (list.isEmpty() || !(list.get(0) instanceof List))) {
      List<@Nullable Object> copy = new ArrayList<>();
      list.forEach(element -> copy.add(shown(element)));
      return copy;
    }
    return value;
  }

  private String error(String source) {
    try {
      return "no error but " + eval(source);
    } catch (CommandException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void results_areConvertedAsByAServer() {
    assertThat(eval("return 3.99")).isEqualTo(3L);
    assertThat(eval("return -3.99")).isEqualTo(-3L);
    assertThat(eval("return true")).isEqualTo(1L);
    assertThat(eval("return false")).isNull();
    assertThat(eval("return nil")).isNull();
    assertThat(eval("")).isNull();
    assertThat(eval("return 'x'")).isEqualTo("x");
    assertThat(eval("return {ok='fine'}")).isEqualTo(TinyHost.status("fine"));
    assertThat(error("return {err='MY bad'}")).isEqualTo("MY bad");
    assertThat(eval("return {{err='MY bad'}}")).isEqualTo(List.of(TinyHost.error("MY bad")));
    assertThat(eval("return {1,2,nil,4}")).isEqualTo(List.of(1L, 2L));
    assertThat(eval("return {1,{2,{}}}")).isEqualTo(List.of(1L, List.of(2L, List.of())));
  }

  @Test
  void resp3Results_keepTheirTypes() {
    assertThat(eval("redis.setresp(3) return true")).isEqualTo(true);
    assertThat(eval("redis.setresp(3) return false")).isEqualTo(false);
    assertThat(eval("return true")).as("the next script starts with RESP2").isEqualTo(1L);
    assertThat(eval("return {double=1.25}")).isEqualTo(1.25);
    assertThat(eval("return {big_number='123'}")).isEqualTo(new RecordedReply.Text('(', "123"));
    assertThat(eval("return {map={[1]={set={[2]=true}}}}")).isEqualTo(Map.of(1L, Set.of(2L)));
    assertThat(eval("return {verbatim_string={format='txt',string='hi'}}"))
        .isEqualTo(new RecordedReply.Text('=', "hi"));
  }

  @Test
  void resp3Replies_reachTheScriptAsTables() {
    reply = Collections.singletonMap(bytes("k"), List.of(1L, 2.5, true, Set.of(bytes("m"))));
    assertThat(
            eval(
                "redis.setresp(3) local r = redis.call('reply').map.k"
                    + " return {r[1], r[2].double == 2.5, r[3], r[4].set.m}"))
        .isEqualTo(List.of(1L, true, true, true));
    reply = null;
    assertThat(eval("redis.setresp(3) return type(redis.call('reply'))")).isEqualTo("nil");
    assertThat(eval("return type(redis.call('reply'))")).isEqualTo("boolean");
  }

  @Test
  void keylessMapOfAHost_isRefusedWithoutHarm() {
    reply = Collections.singletonMap(null, 1L);
    assertThatThrownBy(() -> eval("redis.setresp(3) return redis.call('reply')"))
        .isInstanceOf(IllegalArgumentException.class);
    reply = Collections.singletonMap(Double.NaN, 1L);
    assertThat(eval("redis.setresp(3) return type(redis.call('reply').map)")).isEqualTo("table");
    assertThat(eval("return 1")).isEqualTo(1L);
  }

  @Test
  void strings_holdAnyBytes_bothWays() {
    byte[] all = new byte[512];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    Random random = new Random(7);
    List<byte[]> samples = new ArrayList<>(List.of(all, new byte[0], new byte[1]));
    for (int length = 1; length < 3_000_000; length = length * 3 + 1) {
      byte[] sample = new byte[length];
      random.nextBytes(sample);
      samples.add(sample);
      samples.add("a".repeat(length).getBytes());
    }
    for (byte[] sample : samples) {
      assertThat(eval("return ARGV[1]", List.of(), List.of(sample)))
          .isEqualTo(TinyHost.text(sample));
      assertThat(eval("return {#ARGV[1]}", List.of(), List.of(sample)))
          .isEqualTo(List.of((long) sample.length));
      assertThat(eval("return redis.call('echo', KEYS[1])", List.of(sample), List.of()))
          .isEqualTo(TinyHost.text(sample));
    }
    assertThat(eval("return ARGV", List.of(), samples)).isEqualTo(shown(samples));
  }

  @Test
  void listsOfAnyLength_arriveWhole() {
    for (int size :
        new int[] {0, 1, 3, 4, 5, 49, 50, 51, 99, 100, 101, 511, 25_550, 25_551, 30_000}) {
      List<Object> list = new ArrayList<>();
      List<Object> expected = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        Object element = i % 3 == 0 ? bytes("e" + i) : i % 3 == 1 ? (Object) (long) i : null;
        list.add(element);
        expected.add(element == null ? "false" : i % 3 == 0 ? "e" + i : "" + i);
      }
      reply = list;
      assertThat(
              eval(
                  "local r = redis.call('reply') local t = {}"
                      + " for i = 1, #r do t[i] = tostring(r[i]) end return t"))
          .as("%d elements", size)
          .isEqualTo(expected);
    }
  }

  @Test
  void numbersAsArguments_keepTheirPrecision() {
    eval("redis.pcall('x', 3, 0.1, 1e15, 1e16, 2^53, 1e100, -0.5, 1/0, -1/0, 1e-7)");
    assertThat(commands.get(0).stream().map(TinyHost::text))
        .containsExactly(
            "x",
            "3",
            "0.10000000000000001",
            "1000000000000000",
            "10000000000000000",
            "9007199254740992",
            "1e+100",
            "-0.5",
            "inf",
            "-inf",
            "9.9999999999999995e-08");
  }

  @Test
  void exceptionOfTheHost_leavesEval_evenIfTheScriptCatchesIt() {
    TestEngine failing =
        new TestEngine(
            new TinyHost() {
              @Override
              @Nullable Object answer(byte[][] command) {
                throw new ArithmeticException("host broke");
              }
            });
    try (failing) {
      byte[] script = bytes("pcall(redis.call, 'x') return 1");
      assertThatThrownBy(() -> failing.eval(script, List.of(), List.of()))
          .isInstanceOf(ArithmeticException.class)
          .hasMessage("host broke");
      byte[] next = bytes("return 2");
      assertThat(failing.eval(next, List.of(), List.of())).isEqualTo(2L);
    }
  }

  @Test
  void globals_areReadOnlyAndComplete() {
    assertThat(error("x = 1")).contains("user_script:1: Attempt to modify a readonly table");
    for (String library :
        List.of("string", "table", "math", "redis", "cjson", "cmsgpack", "struct", "bit", "_G")) {
      assertThat(error(library + ".foo = 1"))
          .contains("user_script:1: Attempt to modify a readonly table");
      assertThat(error("rawset(" + library + ", 'foo', 1)"))
          .startsWith("ERR Attempt to modify a readonly table");
      assertThat(error("setmetatable(" + library + ", {})"))
          .startsWith("ERR Attempt to modify a readonly table");
    }
    assertThat(error("getmetatable('').__index = {}")).contains("readonly table");
    assertThat(error("getmetatable(_G).__index = nil")).contains("readonly table");
    assertThat(error("KEYS = {}")).contains("readonly table");
    assertThat(eval("KEYS[1] = 'mine' return KEYS[1]")).isEqualTo("mine");
    assertThat(eval("return _G._G == _G")).isEqualTo(1L);
    assertThat(eval("return rawget(_G, 'redis') == redis")).isEqualTo(1L);
    assertThat(eval("local n = 0 for k in pairs(_G) do n = n + 1 end return n > 30")).isEqualTo(1L);
  }

  @Test
  void nothingDangerous_isReachable() {
    for (String name :
        List.of(
            "java",
            "io",
            "os",
            "package",
            "debug",
            "require",
            "module",
            "dofile",
            "loadfile",
            "print",
            "getfenv",
            "setfenv",
            "newproxy",
            "__jthrowable__")) {
      assertThat(error("return " + name)).contains("nonexistent global variable '" + name + "'");
    }
    assertThat(error("loadstring('java = 1')()")).contains("readonly table");
    assertThat(error("coroutine.wrap(function() return java end)()")).contains("nonexistent");
    assertThat(eval("return type(getmetatable(cjson.null))")).isEqualTo("nil");
  }

  @Test
  void failureInsideANativeFunction_showsNothingOfJava() {
    assertThat(error("return cjson.decode(string.rep('[', 1e6))")).contains("too many nested");
    assertThat(error("cjson.decode_max_depth(1e9) return cjson.decode(string.rep('[', 1e6))"))
        .startsWith("ERR ");
    assertThat(eval("return rawget(_G, '__jthrowable__') or 'none'")).isEqualTo("none");
    assertThat(
            eval(
                "local n = 0 for k, v in pairs(_G) do"
                    + " if type(v) == 'userdata' then n = n + 1 end end return n"))
        .isEqualTo(0L);
  }

  @Test
  void bytecode_isNotLoaded() {
    assertThat(eval("return {loadstring(string.dump(function() return 1 end))}"))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .as("nil ends the list: there is no function")
        .isEmpty();
    byte[] dumped =
        bytes((String) Objects.requireNonNull(eval("return string.dump(function() return 1 end)")));
    assertThatThrownBy(() -> engine.compile(dumped))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("unexpected symbol near 'char(27)'");
    assertThat(
            error(
                "local d = string.dump(function() return 1 end) local f, e = load(function() local"
                    + " p = d d = nil return p end) error(e, 0)"))
        .contains("unexpected symbol near 'char(27)'");
  }

  @Test
  void scripts_leaveNothingBehind() {
    eval("table.insert(string, 'left') table.insert(_G, 'left')");
    assertThat(eval("return {rawget(string, 1) or 'gone', rawget(_G, 1) or 'gone'}"))
        .isEqualTo(List.of("gone", "gone"));
    assertThat(eval("return string[1] or 'gone'")).isEqualTo("gone");
    eval("return #KEYS", List.of(bytes("a")), List.of());
    assertThat(eval("return #KEYS")).isEqualTo(0L);
  }

  @Test
  void endlessLoop_isEnded_howeverItCatchesErrors() {
    interrupt = true;
    for (String loop :
        List.of(
            "while true do end",
            "while true do pcall(function() while true do end end) end",
            "repeat until false",
            "local f f = function() return f() end f()",
            "coroutine.wrap(function() while true do end end)()",
            "local c = coroutine.create(function() while true do end end)"
                + " coroutine.resume(c) while true do end",
            "while true do xpcall(function() while true do end end, function() end) end")) {
      assertThat(error(loop)).as(loop).contains("Script killed by user with SCRIPT KILL...");
    }
    interrupt = false;
    assertThat(eval("for i = 1, 1000000 do end return 'runs'")).isEqualTo("runs");
  }

  @Test
  void deepRecursion_isAnError() {
    assertThat(error("local function f() return 1 + f() end return f()"))
        .contains("stack overflow");
    assertThat(error("local f f = function() return pcall(f) end local a, b = f() error(b)"))
        .startsWith("ERR ");
    assertThat(error("local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x"))
        .contains("loop in gettable");
    assertThat(error("return string.find('a', string.rep('(', 300))"))
        .contains("too many captures");
  }

  @Test
  void recursionThroughNativeCode_isAnErrorOnAnOrdinaryStack() throws Exception {
    List<String> scripts =
        List.of(
            "local function f(s) return (s:gsub('.', f)) end return f('x')",
            "local function f(s) return (s:gsub('.', setmetatable({}, {__index = function(t, k)"
                + " return f(k) end}))) end return f('x')",
            "local function f() local a, b = pcall(f) if not a then error(b, 0) end end f()",
            "local function f() coroutine.wrap(f)() end f()",
            "local function f() local c = coroutine.create(f)"
                + " local a, b = coroutine.resume(c) error(b, 0) end f()",
            "local t = {} setmetatable(t, {__index = function(t, k) return t[k + 1] end})"
                + " return t[1]",
            "local function f() table.sort({1, 2, 3}, function() f() end) end f()",
            "local t = setmetatable({}, {}) getmetatable(t).__tostring = function()"
                + " return tostring(t) end return tostring(t)",
            "return " + "(".repeat(300) + "1" + ")".repeat(300),
            "local t = {} for i = 1, 20000 do t = {t} end cjson.encode_max_depth(1e6)"
                + " return cjson.encode(t)",
            "cjson.decode_max_depth(1e6) return cjson.decode(('['):rep(1e5))",
            "return string.find(('a'):rep(1e5), ('a?'):rep(1e5))",
            "return ('a'):rep(1e5):match(('a*'):rep(1001))",
            "return ('a'):rep(1e5):gsub(('a-'):rep(1e5), 'x')",
            "return ('a'):rep(1e5):gmatch(('a+'):rep(1e5))()",
            "return cmsgpack.unpack(('\\145'):rep(1e5))");
    List<String> surviving = new ArrayList<>();
    Thread thread =
        new Thread(null, () -> scripts.forEach(s -> surviving.add(error(s))), "small", 1 << 20);
    thread.start();
    thread.join();
    assertThat(surviving).hasSameSizeAs(scripts);
    assertThat(surviving).allSatisfy(error -> assertThat(error).startsWith("ERR "));
    assertThat(eval("return 1")).isEqualTo(1L);
  }

  @Test
  void errorInAReplacementFunction_isPlacedWhereItWasRaised() {
    assertThat(error("string.gsub('x', '.',\nfunction()\nredis.call('nope')\nend)"))
        .endsWith("on @user_script:3.");
    assertThat(error("string.gsub('x', '.',\nfunction()\nerror('here')\nend)"))
        .startsWith("ERR user_script:3: here")
        .endsWith("on @user_script:3.");
  }

  @Test
  void cycleInTheResult_endsWithTheStackLimit() {
    Object level = eval("local t = {} t[1] = t return t");
    int depth = 0;
    while (level instanceof List<?> list) {
      depth++;
      level = list.get(0);
    }
    assertThat(level).isEqualTo(TinyHost.error("ERR reached lua stack limit"));
    assertThat(depth).isBetween(1000, 10_000);
  }

  @Test
  void argumentsReachedWithoutTheirName_areThoseOfThisRun() {
    for (String way :
        List.of(
            "return _G['AR' .. 'GV'][1]",
            "return loadstring('return AR' .. 'GV[1]')()",
            "for k, v in pairs(_G) do if k == 'AR' .. 'GV' then return v[1] end end")) {
      eval("return ARGV[1]", List.of(), List.of(bytes("former")));
      assertThat(eval(way, List.of(), List.of(bytes("own")))).as(way).isEqualTo("own");
    }
  }

  @Test
  void commandNames_arePassedByteForByteEachTime() {
    String names = "for _, n in ipairs({'ping', 'PING', 'pi\\0ng', '12', 'p\\128', ''}) do ";
    for (int round = 0; round < 3; round++) {
      commands.clear();
      eval(names + "redis.pcall(n, 'x') end redis.pcall(12)");
      assertThat(commands.stream().map(words -> TinyHost.text(words.get(0))))
          .containsExactly("ping", "PING", "pi\0ng", "12", "p\u0080", "", "12");
    }
  }

  @Test
  void errorValues_ofEveryType_makeAMessage() {
    assertThat(error("error('text')")).startsWith("ERR user_script:1: text script: ");
    assertThat(error("error('text', 0)")).startsWith("ERR text script: ");
    assertThat(error("error({err='CODE text'})")).startsWith("CODE text script: ");
    assertThat(error("error(nil)")).startsWith("ERR nil");
    assertThat(error("error(12)")).startsWith("ERR user_script:1: 12");
    assertThat(error("error(true)")).startsWith("ERR true");
    assertThat(error("error(function() end)")).startsWith("ERR function: ");
    assertThat(error("error(setmetatable({}, {__newindex = function() error('again') end}))"))
        .startsWith("ERR user_script:1: again");
    assertThat(error("\n\nredis.call('nope')")).endsWith("on @user_script:3.");
  }

  @Test
  void coroutines_canCallAndAreFreed() {
    String script =
        "for i = 1, 100 do local c = coroutine.wrap(function() redis.call('ping')"
            + " coroutine.yield(1) end) c() end return 1";
    eval(script);
    long before = memoryAfterCollection();
    for (int i = 0; i < 50; i++) {
      eval(script);
    }
    assertThat(memoryAfterCollection()).isLessThan(before + 256 * 1024);
  }

  private long memoryAfterCollection() {
    eval("collectgarbage() collectgarbage() return 1");
    return engine.lua.memoryBytes();
  }

  @Test
  void largeReplies_doNotStayInMemory() {
    reply = Collections.nCopies(100_000, bytes("0123456789"));
    eval("return #redis.call('reply')");
    long before = memoryAfterCollection();
    for (int i = 0; i < 5; i++) {
      assertThat(eval("return #redis.call('reply')")).isEqualTo(100_000L);
    }
    assertThat(memoryAfterCollection()).isLessThan(before + 1024 * 1024);
  }

  @Test
  void log_reachesTheHost() {
    eval("redis.log(redis.LOG_WARNING, 'a', 1, {}, 'b')");
    assertThat(host.logged).containsExactly("3 a 1 b");
  }

  @Test
  void unloadedScripts_areForgotten() {
    byte[] script = bytes("local t = {" + "'a', ".repeat(10_000) + "} return #t");
    engine.lua.unload(List.of(engine.compile(script)));
    long before = memoryAfterCollection();
    for (int i = 0; i < 50; i++) {
      engine.lua.unload(List.of(engine.compile(script)));
    }
    assertThat(memoryAfterCollection()).isLessThan(before + 256 * 1024);
  }

  @Test
  void syntaxError_isReportedAsByAServer() {
    byte[] script = bytes("return return");
    assertThatThrownBy(() -> engine.compile(script))
        .isInstanceOf(CommandException.class)
        .hasMessage(
            "ERR Error compiling script (new function): "
                + "user_script:1: unexpected symbol near 'return'");
  }

  @Test
  void firstLineOfFlags_isReadAndSkipped() {
    byte[] script = bytes("#!lua flags=no-writes,allow-stale\nerror('here')");
    assertThat(ScriptHeader.of(script).flags())
        .containsExactlyInAnyOrder("no-writes", "allow-stale");
    assertThat(error(TinyHost.text(script))).contains("user_script:2: here");
    assertThat(error("#!lua")).isEqualTo("ERR Invalid script shebang");
    assertThat(error("#!python\n")).isEqualTo("ERR Unexpected engine in script shebang: #!python");
    assertThat(error("#!lua flags=x\n")).isEqualTo("ERR Unexpected flag in script shebang: x");
    assertThat(error("#!lua name=x\n")).isEqualTo("ERR Unknown lua shebang option: name=x");
  }

  @Test
  void twoThreadsAtOnce_areRefused() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    TestEngine shared =
        new TestEngine(
            new TinyHost() {
              @Override
              @Nullable Object answer(byte[][] command) {
                inside.countDown();
                try {
                  done.await(60, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                return 1L;
              }
            });
    byte[] script = bytes("return redis.call('wait')");
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Future<@Nullable Object> running =
          other.submit(() -> shared.eval(script, List.of(), List.of()));
      assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(() -> shared.eval(script, List.of(), List.of()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("in use by thread");
      assertThatThrownBy(shared::close).isInstanceOf(IllegalStateException.class);
      done.countDown();
      assertThat(running.get()).isEqualTo(1L);
      shared.close();
      assertThatThrownBy(() -> shared.eval(script, List.of(), List.of()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    } finally {
      done.countDown();
      other.shutdownNow();
    }
  }

  @Test
  void scriptWithinAScript_isRefused() {
    TestEngine[] self = new TestEngine[1];
    byte[] script = bytes("return redis.call('again')");
    self[0] =
        new TestEngine(
            new TinyHost() {
              @Override
              @Nullable Object answer(byte[][] command) {
                return self[0].eval(script, List.of(), List.of());
              }
            });
    try (TestEngine engine = self[0]) {
      assertThatThrownBy(() -> engine.eval(script, List.of(), List.of()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("within a script");
    }
  }

  @Test
  void manyEngines_canBeOpenedAndClosed() {
    for (int i = 0; i < 200; i++) {
      try (TestEngine one = new TestEngine(new TinyHost())) {
        byte[] script = bytes("return redis.call('echo', 'x')");
        assertThat(one.eval(script, List.of(), List.of())).isEqualTo(bytes("x"));
      }
    }
  }

  @Test
  void randomNumbers_followTheSeed() {
    String five = "local t = {} for i = 1, 5 do t[i] = math.random(1000) end return t";
    Object first = eval("math.randomseed(42) " + five);
    Object second = eval("math.randomseed(42) " + five);
    assertThat(second).isEqualTo(first);
    assertThat(eval("math.randomseed(43) " + five)).isNotEqualTo(first);
    try (TestEngine fresh = new TestEngine(new TinyHost())) {
      byte[] script = bytes("return tostring(math.random())");
      assertThat(fresh.eval(script, List.of(), List.of()))
          .as("drand48 without a seed starts so")
          .isEqualTo(bytes("0.39646477363839"));
    }
  }
}
