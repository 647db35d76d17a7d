// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.healing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Deferred;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ResultType;
import dev.sheaf.scripts.Script;
import dev.sheaf.scripts.ScriptException;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.Relay;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisFuture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every operation under every fault: it ends in bounded time with its value or with an error of the
 * table, nothing runs twice, and the client works afterwards. The table is that of the guide.
 */
@Timeout(300)
@Tag("slow")
class FaultMatrixTest {

  private static final Path PAGE =
      Path.of(System.getProperty("basedir", ".")).resolve("../docs/reliability.md");

  /** For faults that no reply comes under. */
  private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(1);

  /** For all others, on a machine however busy. */
  private static final Duration LONG_TIMEOUT = Duration.ofSeconds(60);

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String OK = "value";
  private static final String TIMED_OUT = "RedisCommandTimeoutException";
  private static final String UNKNOWN = "OutcomeUnknownException";
  private static final String LOST = "ConnectionLostException";
  private static final List<String> KEYS =
      IntStream.range(0, 50).mapToObj(i -> "key:" + i).toList();
  private static final String PAGE_VALUE = "lorem ipsum ".repeat(200);

  private static final Script<Long> COUNT =
      Script.of("return redis.call('INCR', KEYS[1])")
          .named("count")
          .keys(1)
          .args(0)
          .returns(ResultType.INTEGER);

  /** What a call does. */
  private interface Call {
    Object run(FaultMatrixTest test) throws Exception;
  }

  /** The operations. */
  private enum Operation {
    PING("`ping`", false, test -> expect("PONG", test.sheaf.sync().ping())),
    GET("`get`", false, test -> expect("value:0", test.sheaf.sync().get("key:0"))),
    FUSED("GETs sent as MGET", false, FaultMatrixTest::fusedGets),
    HGET("`hget`", false, test -> expect("of field", test.sheaf.sync().hget("hash", "field"))),
    GET_ALL("`getAll`", false, test -> checked(test.sheaf.getAll(KEYS))),
    LOOP("`loop`", false, FaultMatrixTest::loop),
    MAP_EACH(
        "`mapEach`",
        false,
        test -> test.sheaf.mapEach(KEYS.subList(0, 5), key -> test.sheaf.sync().get(key))),
    COMPRESSED(
        "a compressed value", false, test -> expect(PAGE_VALUE, test.sheaf.sync().get("page"))),
    SET_ALL(
        "`setAll`",
        true,
        test ->
            checked(
                test.sheaf.setAll(
                    KEYS.stream().collect(Collectors.toMap(k -> k, FaultMatrixTest::valueOf))))),
    BATCH("`batch`", true, FaultMatrixTest::batch),
    SCRIPT("a script", true, test -> test.script.call(List.of("count:SCRIPT"))),
    READ_THROUGH(
        "`readThrough`",
        false,
        test ->
            expect(
                "value:0",
                test.sheaf.readThrough("key:0", Duration.ofMinutes(1), key -> "value:0")));

    private final String label;
    private final boolean writes;
    private final Call call;

    Operation(String label, boolean writes, Call call) {
      this.label = label;
      this.writes = writes;
      this.call = call;
    }
  }

  /** Does something to the connection or the server. */
  private interface Action {
    void on(FaultMatrixTest test) throws Exception;
  }

  /** The faults, with the outcomes that reads and writes may have. */
  private enum Fault {
    REFUSED(
        "the connection is cut, and new ones are refused",
        Set.of(TIMED_OUT),
        Set.of(TIMED_OUT),
        test -> {
          test.proxy.refuse(true);
          test.proxy.dropConnections();
        },
        test -> {},
        test -> test.proxy.refuse(false)),
    CUT_REQUEST(
        "cut before the request arrived",
        Set.of(OK),
        Set.of(UNKNOWN),
        test -> test.proxy.pauseToServer(true),
        test -> {
          test.awaitUnderWay();
          test.proxy.dropConnections();
          test.proxy.pauseToServer(false);
        },
        test -> {}),
    CUT_REPLY(
        "cut within the reply",
        Set.of(OK, LOST),
        Set.of(UNKNOWN),
        test -> test.proxy.cutAfterBytesToClient(2),
        test -> {},
        test -> {}),
    RESET(
        "reset before the reply arrived",
        Set.of(OK),
        Set.of(UNKNOWN),
        test -> test.proxy.pauseToClient(true),
        test -> {
          test.awaitUnderWay();
          test.proxy.resetConnections();
          test.proxy.pauseToClient(false);
        },
        test -> {}),
    BLACK_HOLE(
        "everything that is sent is lost, on new connections too",
        Set.of(TIMED_OUT),
        Set.of(TIMED_OUT, UNKNOWN),
        test -> test.proxy.blackHole(true),
        test -> {},
        test -> test.proxy.blackHole(false)),
    LATE(
        "the reply comes after the time-out",
        Set.of(TIMED_OUT),
        Set.of(TIMED_OUT, UNKNOWN),
        test -> test.proxy.pauseToClient(true),
        test -> {},
        test -> test.proxy.pauseToClient(false)),
    SLOW(
        "20 ms each way",
        Set.of(OK),
        Set.of(OK),
        test -> test.proxy.delay(Duration.ofMillis(20)),
        test -> {},
        test -> test.proxy.delay(Duration.ZERO)),
    BYTES(
        "the reply comes byte by byte",
        Set.of(OK),
        Set.of(OK),
        test -> test.relay.byteByByte(true),
        test -> {},
        test -> test.relay.byteByByte(false)),
    GARBLED(
        "the reply is no RESP",
        Set.of(OK, "RedisProtocolException"),
        Set.of("RedisProtocolException"),
        test -> test.relay.garbleNext(),
        test -> {},
        test -> {}),
    INTERRUPT(
        "the waiting thread is interrupted",
        Set.of("RedisCommandInterruptedException"),
        Set.of("RedisCommandInterruptedException"),
        test -> test.proxy.pauseToClient(true),
        test -> {
          test.awaitUnderWay();
          test.caller.interrupt();
        },
        test -> test.proxy.pauseToClient(false)),
    LOADING(
        "`LOADING`",
        Set.of("LOADING"),
        Set.of("LOADING"),
        test -> test.server.faults().loading(true),
        test -> {},
        test -> test.server.faults().clear()),
    READONLY(
        "`READONLY`",
        Set.of(OK),
        Set.of("READONLY"),
        test -> {
          test.server.faults().readOnly(true);
          test.server.faults().errorOn("evalsha", "READONLY You can't write against a replica.");
        },
        test -> {},
        test -> test.server.faults().clear()),
    OOM("`OOM`", errors("OOM command not allowed when used memory > 'maxmemory'.")),
    NOPERM("`NOPERM`", errors("NOPERM User default has no permissions")),
    TRYAGAIN("`TRYAGAIN`", errors("TRYAGAIN Multiple keys request during rehashing of slot")),
    CLUSTERDOWN("`CLUSTERDOWN`", errors("CLUSTERDOWN The cluster is down")),
    NOSCRIPT(
        "`NOSCRIPT`, twice",
        Set.of(OK),
        Set.of(OK, "NOSCRIPT"),
        test ->
            test.server.faults().failNext("evalsha", 2, "NOSCRIPT No matching script. Use EVAL."),
        test -> {},
        test -> test.server.faults().clear());

    private final String label;
    private final Set<String> reads;
    private final Set<String> writes;
    private final Action before;
    private final Action during;
    private final Action after;

    Fault(String label, String line) {
      this(
          label,
          Set.of(line.substring(0, line.indexOf(' '))),
          Set.of(line.substring(0, line.indexOf(' '))),
          test -> test.server.faults().errorOn("*", line),
          test -> {},
          test -> test.server.faults().clear());
    }

    Fault(
        String label,
        Set<String> reads,
        Set<String> writes,
        Action before,
        Action during,
        Action after) {
      this.label = label;
      this.reads = reads;
      this.writes = writes;
      this.before = before;
      this.during = during;
      this.after = after;
    }

    Set<String> allowed(Operation operation) {
      if (operation == Operation.READ_THROUGH) {
        return this == INTERRUPT ? Set.of(OK, "RedisCommandInterruptedException") : Set.of(OK);
      }
      return operation.writes ? writes : reads;
    }
  }

  private static String errors(String line) {
    return line;
  }

  private final EmbeddedServer server = EmbeddedServer.start();
  private final ExecutorService callers = Executors.newSingleThreadExecutor();
  private Relay relay;
  private LatencyProxy proxy;
  private Sheaf<String, String> sheaf;
  private RegisteredScript<String, Long> script;
  private volatile Thread caller;

  private void connect(Fault fault) throws Exception {
    relay = new Relay(server.port());
    proxy = LatencyProxy.builder().target("127.0.0.1", relay.port()).start();
    sheaf =
        Sheaf.builder("redis://127.0.0.1:" + proxy.port())
            .commandTimeout(fault.reads.contains(TIMED_OUT) ? SHORT_TIMEOUT : LONG_TIMEOUT)
            .compression(CompressionOptions.defaults())
            .loopDetection(false)
            .connect();
    script = sheaf.scripts().register(COUNT);
    KEYS.forEach(key -> sheaf.sync().set(key, valueOf(key)));
    sheaf.sync().hset("hash", "field", "of field");
    sheaf.sync().set("page", PAGE_VALUE);
    script.call(List.of("warm"));
    caller = callers.submit(Thread::currentThread).get();
  }

  @AfterEach
  void close() throws Exception {
    callers.shutdownNow();
    if (sheaf != null) {
      sheaf.close();
      proxy.close();
      relay.close();
    }
    server.close();
  }

  private static String valueOf(String key) {
    return key.replace("key", "value");
  }

  private static Object expect(Object expected, Object actual) {
    assertThat(actual).isEqualTo(expected);
    return actual;
  }

  private static Object checked(Map<String, ? extends Result<?>> results) throws KeyFailure {
    for (var entry : results.entrySet()) {
      if (entry.getValue() instanceof Result.Failure<?> failure) {
        throw new KeyFailure(failure.error());
      } else if (((Result.Value<?>) entry.getValue()).value() instanceof String value) {
        assertThat(value).isEqualTo(valueOf(entry.getKey()));
      }
    }
    return results;
  }

  /** Carries the failure of one key. */
  private static final class KeyFailure extends ExecutionException {
    private static final long serialVersionUID = 1L;

    KeyFailure(Throwable cause) {
      super(cause);
    }
  }

  private static Object fusedGets(FaultMatrixTest test) throws Exception {
    List<RedisFuture<String>> futures = new ArrayList<>();
    for (String key : KEYS) {
      futures.add(test.sheaf.async().get(key));
    }
    for (int i = 0; i < KEYS.size(); i++) {
      try {
        expect(valueOf(KEYS.get(i)), futures.get(i).get(60, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        throw new RedisCommandInterruptedException(e);
      }
    }
    return futures;
  }

  private static Object loop(FaultMatrixTest test) {
    for (String key : test.sheaf.loop(KEYS)) {
      expect(valueOf(key), test.sheaf.sync().get(key));
    }
    return OK;
  }

  private static Object batch(FaultMatrixTest test) {
    Deferred<Long> counted;
    try (var batch = test.sheaf.batch()) {
      counted = batch.add(commands -> commands.incr("count:BATCH"));
    }
    return counted.get();
  }

  private void awaitUnderWay() {
    Await.until("the request", SOON, () -> proxy.stats().bytesInFlight() > 0);
  }

  private static String outcome(Future<?> call) throws Exception {
    try {
      call.get(60, TimeUnit.SECONDS);
      return OK;
    } catch (ExecutionException e) {
      Throwable cause = e;
      while ((cause instanceof ExecutionException
              || cause instanceof CompletionException
              || cause.getClass() == SheafException.class
              || cause instanceof ScriptException)
          && cause.getCause() != null) {
        cause = cause.getCause();
      }
      if (cause instanceof AssertionError wrong) {
        throw wrong;
      }
      return cause instanceof RedisCommandExecutionException refused
          ? String.valueOf(refused.getMessage()).split(" ")[0]
          : cause.getClass().getSimpleName();
    }
  }

  private long count(Operation operation) {
    return server.data().get("count:" + operation).map(Long::parseLong).orElse(0L);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void everyOperation_endsAsTheTableSays_andTheClientWorksOn(Fault fault) throws Exception {
    connect(fault);
    List<String> wrong = new ArrayList<>();
    for (Operation operation : Operation.values()) {
      long before = count(operation);
      fault.before.on(this);
      Future<Object> call = callers.submit(() -> operation.call.run(this));
      fault.during.on(this);
      String outcome = outcome(call);
      fault.after.on(this);
      Thread.interrupted();
      if (!fault.allowed(operation).contains(outcome)) {
        wrong.add(operation + ": " + outcome);
      }
      Await.until(
          "the client to work after " + fault + " of " + operation,
          SOON,
          () -> "value:0".equals(sheaf.sync().get("key:0")));
      long ran = count(operation) - before;
      boolean counts = operation == Operation.BATCH || operation == Operation.SCRIPT;
      if (ran > 1 || counts && outcome.equals(OK) && ran != 1) {
        wrong.add(operation + " ran " + ran + " times, with the outcome " + outcome);
      }
    }
    assertThat(wrong).as("%s", fault).isEmpty();
  }

  @Test
  void page_hasTheTable() throws IOException {
    assertThat(Files.readString(PAGE)).as("the table is\n%s", table()).contains(table());
  }

  private static String table() {
    Map<String, String> kinds = new LinkedHashMap<>();
    kinds.put("Reads", names(op -> !op.writes && op != Operation.READ_THROUGH));
    kinds.put("Writes", names(op -> op.writes));
    StringBuilder table = new StringBuilder();
    kinds.forEach(
        (kind, names) -> table.append("- ").append(kind).append(": ").append(names).append(".\n"));
    table.append("\n| Fault | A read | A write | `readThrough` |\n|---|---|---|---|\n");
    for (Fault fault : Fault.values()) {
      table
          .append("| ")
          .append(fault.label)
          .append(" | ")
          .append(shown(fault.reads))
          .append(" | ")
          .append(shown(fault.writes))
          .append(" | ")
          .append(shown(fault.allowed(Operation.READ_THROUGH)))
          .append(" |\n");
    }
    return table.toString();
  }

  private static String names(Predicate<Operation> which) {
    return Stream.of(Operation.values())
        .filter(which)
        .map(operation -> operation.label)
        .collect(Collectors.joining(", "));
  }

  private static String shown(Set<String> outcomes) {
    return new TreeSet<>(outcomes)
        .descendingSet().stream()
            .map(outcome -> outcome.equals(OK) ? OK : "`" + outcome + "`")
            .collect(Collectors.joining(" or "));
  }
}
