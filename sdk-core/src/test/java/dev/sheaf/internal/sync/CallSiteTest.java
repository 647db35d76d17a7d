// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CallSiteTest {

  private final List<Boolean> found = new ArrayList<>();

  @Test
  void callInALoopOfItsMethod_isFound() {
    for (int i = 0; i < 2; i++) {
      look();
    }
    int i = 0;
    while (i++ < 1) {
      look();
    }
    do {
      switch (i) {
        case 1 -> look();
        case 17 -> found.clear();
        default -> look();
      }
    } while (found.size() < 4);
    for (Iterator<Integer> it = List.of(1).iterator(); it.hasNext(); ) {
      it.next();
      look();
    }
    assertThat(found).hasSize(5).containsOnly(true);
  }

  @Test
  void callOutsideOfLoops_isNone() {
    look();
    for (String ignored : values()) {
      found.size();
    }
    if (found.isEmpty()) {
      return;
    }
    look();
    try {
      look();
    } finally {
      look();
    }
    switch ("twelve" + found.size()) {
      case "twelve4" -> found.clear();
      case "twelve5" -> look();
      default -> found.clear();
    }
    assertThat(found).hasSize(6).containsOnly(false);
  }

  /** Called once, on the line of a loop. */
  private List<String> values() {
    look();
    return List.of();
  }

  @Test
  void callWhereALoopBegins_isNone() {
    for (int i = counted(); i < 3; i++) {
      assertThat(i).isNotNegative();
    }
    assertThat(found).containsExactly(false);
  }

  private int counted() {
    look(2);
    return 0;
  }

  private void look() {
    look(1);
  }

  private void look(int depth) {
    StackFrame caller =
        StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE)
            .walk(stack -> stack.filter(f -> !f.getMethodName().equals("look")).toList())
            .get(depth - 1);
    found.add(CodeLoops.isAround(caller));
  }

  @Test
  void lambdaOfACollectionOrStream_isInTheirLoop() {
    // Lists of one or two, as List.of makes them, need no loop on newer JDKs.
    new ArrayList<>(List.of(1)).forEach(i -> assertThat(jdkLoops()).isTrue());
    Stream.of(1).forEach(i -> assertThat(jdkLoops()).isFalse());
    Stream.of(1, 2).forEach(i -> assertThat(jdkLoops()).isTrue());
  }

  /** Whether the JDK's frames between this test's are a loop. */
  private static boolean jdkLoops() {
    return StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE)
        .walk(
            stack ->
                stack
                    .skip(2)
                    .takeWhile(frame -> CallSite.mayIterate(frame.getClassName()))
                    .toList())
        .stream()
        .anyMatch(CodeLoops::isAround);
  }

  @Test
  void serversAndLibraries_areNoneOfTheApplication() {
    assertThat(
            Stream.of(
                "jakarta.servlet.http.HttpServlet",
                "org.apache.catalina.core.ApplicationFilterChain",
                "org.apache.tomcat.util.threads.ThreadPoolExecutor",
                "org.springframework.web.servlet.DispatcherServlet",
                "java.util.concurrent.ThreadPoolExecutor"))
        .allMatch(CallSite::isServer)
        .noneMatch(CallSite::isApplication);
    assertThat(
            Stream.of(
                "org.springframework.aop.framework.JdkDynamicAopProxy",
                "com.acme.Shop$$SpringCGLIB$$0",
                "jdk.proxy2.$Proxy12",
                "dev.sheaf.Sheaf",
                "dev.sheaf.internal.sync.BlockingCalls"))
        .noneMatch(CallSite::isServer)
        .noneMatch(CallSite::isApplication);
    assertThat(CallSite.isApplication("com.acme.Shop")).isTrue();
    assertThat(CallSite.isApplication("dev.sheaf.app.Shop")).isTrue();
  }
}
