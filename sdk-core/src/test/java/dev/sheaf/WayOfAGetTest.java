// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isNative;
import static net.bytebuddy.matcher.ElementMatchers.isTypeInitializer;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.ForkedJvm;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The classes that a lone GET passes, down and back, are those that the architecture page lists:
 * every one of them is something to read before that way can be changed.
 */
@Tag("slow")
class WayOfAGetTest {

  /** It may be lowered. */
  private static final int MAX_CLASSES = 16;

  /** Reads replies, on the thread that drives. */
  private static final String READER = "dev.sheaf.internal.pipeline.FlightHandler";

  /** What a GET passes now and then: the listed classes are those that every one passes. */
  private static final Set<String> NOW_AND_THEN =
      Set.of(
          // With every doubling of the calls in a row.
          "dev.sheaf.internal.sync.LoopSampler",
          // Once a second.
          "dev.sheaf.internal.heal.SilenceWatch");

  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String PASSED = "PASSED ";

  private static final Path PAGE = Path.of("..", "docs", "ARCHITECTURE.md");
  private static final Pattern LISTED =
      Pattern.compile("<!-- the way of a GET -->(.*?)<!-- end of the way -->", Pattern.DOTALL);

  /** Takes note of methods that the traced thread enters. Public for the code that is woven in. */
  public static final class Trace {

    private static volatile Thread traced;
    private static final Set<String> TYPES = new LinkedHashSet<>();

    private Trace() {}

    /** The current thread is in a method of a type. */
    public static void entered(String type) {
      if (Thread.currentThread() == traced) {
        TYPES.add(type);
      }
    }
  }

  /** What is woven in. */
  private static final class Entering {

    @Advice.OnMethodEnter
    static void enter(@Advice.Origin("#t") String type) {
      Trace.entered(type);
    }
  }

  /**
   * In a JVM of its own that compiles nothing: code that is compiled already may go on without what
   * is woven in.
   */
  @Test
  void getOfALoneCaller_passesTheListedClasses() throws Exception {
    String output =
        new ForkedJvm(PATIENCE)
            .options("-Xint", "-XX:+EnableDynamicAgentLoading", "-Djdk.attach.allowAttachSelf=true")
            .run(WayOfAGetTest.class);
    Set<String> passed = new TreeSet<>();
    output
        .lines()
        .filter(line -> line.startsWith(PASSED))
        .forEach(line -> passed.add(line.substring(PASSED.length())));
    assertThat(simple(passed)).isEqualTo(new TreeSet<>(listed()));
    assertThat(passed).hasSizeLessThanOrEqualTo(MAX_CLASSES);
  }

  /** Prints the classes that a GET passes. */
  public static void main(String[] arguments) {
    new AgentBuilder.Default()
        .disableClassFormatChanges()
        .type(nameStartsWith("dev.sheaf.internal."))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(
                    Advice.to(Entering.class)
                        .on(not(isAbstract().or(isNative()).or(isTypeInitializer())))))
        .installOn(ByteBuddyAgent.install());
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RedisClusterCommands<String, String> commands = sheaf.sync();
      commands.set("key", "value");
      // Where another thread owns the event loop, that one writes and reads.
      Set<String> passed = passedByGet(commands);
      for (int i = 0; i < 1_000 && !isUsual(passed); i++) {
        passed = passedByGet(commands);
      }
      passed.forEach(type -> System.out.println(PASSED + type));
    }
  }

  private static boolean isUsual(Set<String> passed) {
    return passed.contains(READER) && Collections.disjoint(passed, NOW_AND_THEN);
  }

  private static Set<String> passedByGet(RedisClusterCommands<String, String> commands) {
    Trace.TYPES.clear();
    Trace.traced = Thread.currentThread();
    String value = commands.get("key");
    Trace.traced = null;
    assertThat(value).isEqualTo("value");
    Set<String> passed = new LinkedHashSet<>();
    Trace.TYPES.forEach(type -> passed.add(type.replaceFirst("\\$.*", "")));
    return passed;
  }

  private static Set<String> simple(Set<String> types) {
    Set<String> names = new TreeSet<>();
    types.forEach(type -> names.add(type.substring(type.lastIndexOf('.') + 1)));
    return names;
  }

  private static List<String> listed() throws IOException {
    Matcher list = LISTED.matcher(Files.readString(PAGE));
    assertThat(list.find()).isTrue();
    List<String> names = new ArrayList<>();
    Matcher name = Pattern.compile("`(\\w+)`").matcher(list.group(1));
    while (name.find()) {
      names.add(name.group(1));
    }
    return names;
  }
}
