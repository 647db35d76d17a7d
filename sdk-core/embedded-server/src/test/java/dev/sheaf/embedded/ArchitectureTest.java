// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which part of the server may know which, as jdeps reads it from the compiled classes. */
class ArchitectureTest {
  private static final String OWN = "dev.sheaf.embedded.";
  private static final String INTERNAL = OWN + "internal.";
  private static final int LARGEST_CIRCLE = 2;
  private static final Pattern EDGE = Pattern.compile("^\\s+(\\S+)\\s+->\\s+(\\S+)");
  private static final Pattern EDGE_OF_THE_LAST = Pattern.compile("^\\s+->\\s+(\\S+)");

  @Test
  void packages_haveNoCycles() {
    Map<String, Set<String>> packages = new TreeMap<>();
    classes()
        .forEach(
            (name, seen) ->
                seen.stream()
                    .map(ArchitectureTest::packageOf)
                    .filter(other -> !other.equals(packageOf(name)))
                    .forEach(other -> add(packages, packageOf(name), other)));
    assertThat(packages).hasSizeGreaterThan(7);
    assertThat(circles(packages)).isEmpty();
  }

  @Test
  void classes_knowEachOtherInPairsAtMost() {
    Map<String, Set<String>> classes = classes();
    assertThat(classes).hasSizeGreaterThan(150);
    assertThat(circles(classes)).allSatisfy(c -> assertThat(c).hasSizeLessThan(LARGEST_CIRCLE + 1));
  }

  @Test
  void insides_doNotKnowWhatUsersSee() {
    classes()
        .forEach(
            (name, seen) -> {
              if (name.startsWith(INTERNAL)) {
                assertThat(seen).as(name).allMatch(other -> other.startsWith(INTERNAL));
              }
            });
  }

  @Test
  void whatUsersSee_namesNothingInternal() throws ClassNotFoundException {
    List<String> named = new ArrayList<>();
    int looked = 0;
    for (String name : classes().keySet()) {
      Class<?> type = Class.forName(name, false, EmbeddedServer.class.getClassLoader());
      if (!name.startsWith(INTERNAL) && Modifier.isPublic(type.getModifiers())) {
        looked++;
        Stream.concat(Stream.of(type), Stream.of(type.getDeclaredClasses()))
            .flatMap(ArchitectureTest::signatures)
            .filter(signature -> signature.contains(INTERNAL))
            .forEach(named::add);
      }
    }
    assertThat(looked).isGreaterThan(12);
    assertThat(named).isEmpty();
  }

  private static Stream<String> signatures(Class<?> type) {
    if (!isSeen(type.getModifiers())) {
      return Stream.empty();
    }
    return Stream.concat(
        Stream.of(type.toGenericString(), "extends " + type.getGenericSuperclass()),
        Stream.of(
                type.getDeclaredConstructors(), type.getDeclaredMethods(), type.getDeclaredFields())
            .flatMap(Stream::of)
            .filter(
                member ->
                    isSeen(((Member) member).getModifiers()) && !((Member) member).isSynthetic())
            .map(ArchitectureTest::text));
  }

  private static String text(Object member) {
    return member instanceof Executable executable
        ? executable.toGenericString()
        : ((Field) member).toGenericString();
  }

  private static boolean isSeen(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static String packageOf(String name) {
    return name.substring(0, name.lastIndexOf('.'));
  }

  private static void add(Map<String, Set<String>> edges, String from, String to) {
    edges.computeIfAbsent(from, name -> new TreeSet<>()).add(to);
  }

  /** What can be reached from itself, together with all that lies on such a way. */
  private static Set<Set<String>> circles(Map<String, Set<String>> edges) {
    Map<String, Set<String>> reached = new TreeMap<>();
    edges.keySet().forEach(name -> reached.put(name, reachedFrom(edges, name)));
    Set<Set<String>> circles = new HashSet<>();
    reached.forEach(
        (name, others) -> {
          if (others.contains(name)) {
            Set<String> circle = new TreeSet<>(others);
            circle.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(name));
            circles.add(circle);
          }
        });
    return circles;
  }

  private static Set<String> reachedFrom(Map<String, Set<String>> edges, String name) {
    Set<String> reached = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(edges.getOrDefault(name, Set.of()));
    while (!open.isEmpty()) {
      String next = open.remove();
      if (reached.add(next)) {
        open.addAll(edges.getOrDefault(next, Set.of()));
      }
    }
    return reached;
  }

  /** The types with what they see, those within a type counted as it. */
  private static Map<String, Set<String>> classes() {
    String code =
        EmbeddedServer.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    StringWriter out = new StringWriter();
    ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
    PrintWriter to = new PrintWriter(out);
    assertThat(jdeps.run(to, to, "-verbose:class", "-filter:none", "--multi-release", "base", code))
        .as(out.toString())
        .isZero();
    Map<String, Set<String>> classes = new TreeMap<>();
    String from = "";
    for (String line : out.toString().split("\\R")) {
      Matcher edge = EDGE.matcher(line);
      Matcher more = EDGE_OF_THE_LAST.matcher(line);
      if (edge.find()) {
        from = edge.group(1);
        addIfOwn(classes, from, edge.group(2));
      } else if (more.find()) {
        addIfOwn(classes, from, more.group(1));
      } else {
        from = line.strip().split("\\s+")[0];
      }
    }
    return classes;
  }

  private static void addIfOwn(Map<String, Set<String>> classes, String from, String to) {
    if (from.startsWith(OWN) && to.startsWith(OWN) && !outermost(from).equals(outermost(to))) {
      add(classes, outermost(from), outermost(to));
    }
  }

  private static String outermost(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
