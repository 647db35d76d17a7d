// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which part of the client may know which, read from the constants of the compiled classes. */
class ArchitectureTest {

  private static final String OWN = "dev.sheaf";
  private static final String INTERNAL = OWN + ".internal.";

  /** Types of the users' package that every part may see, because they see none themselves. */
  private static final Set<String> VALUES =
      Set.of(
          "dev.sheaf.BatchingOptions",
          "dev.sheaf.CheckReturnValue",
          "dev.sheaf.ConnectionLostException",
          "dev.sheaf.LoopReport",
          "dev.sheaf.Observe",
          "dev.sheaf.OutcomeUnknownException",
          "dev.sheaf.QueueFullException",
          "dev.sheaf.Result",
          "dev.sheaf.SheafException",
          "dev.sheaf.compression.CompressionPolicy",
          "dev.sheaf.compression.CompressionRefusedException",
          "dev.sheaf.compression.Compressor",
          "dev.sheaf.compression.UnreadableValueException");

  /** Types of users that name their implementation: static methods and builders that make one. */
  private static final Set<String> FACTORIES =
      Set.of(
          "dev.sheaf.BatchingClient",
          "dev.sheaf.SheafBuilder",
          "dev.sheaf.compression.Compressor",
          "dev.sheaf.compression.ValueCompression");

  private static final int MAX_TYPES = 35;

  /** Classes that know each other, directly or by others, are read together: so many at most. */
  private static final int MAX_CIRCLE = 3;

  /** How many types users see, those within a type counted by themselves. It may be lowered. */
  private static final int MAX_PUBLIC_TYPES = 62;

  /** How many of them are in no other. It may be lowered. */
  private static final int MAX_TOP_LEVEL_TYPES = 45;

  /** The rules that adapt on the path of a command, each with a method of this name. */
  private static final Set<String> RULES =
      Set.of(
          "dev.sheaf.internal.fusion.FusionGauge",
          "dev.sheaf.internal.pipeline.Lanes$Growth",
          "dev.sheaf.internal.pipeline.NodeChannel$BatchTiming");

  private static final String RULE = "decide";

  private static final Path PAGE = Path.of("..", "docs", "ARCHITECTURE.md");
  private static final Path SEAM = Path.of("..", "docs", "reference", "lettuce-seam.md");

  /** Types that Lettuce has for its users. */
  private static final Set<String> OF_USERS =
      Set.of(
          "ProtocolKeyword",
          "RedisAdvancedClusterAsyncCommands",
          "RedisAsyncCommands",
          "RedisConnectionException",
          "RedisConnectionStateListener",
          "RedisException",
          "StatefulRedisClusterConnection",
          "StatefulRedisConnection");

  private static final Pattern QUOTED = Pattern.compile("`(\\w+)`");

  private static final Pattern DESCRIBED = Pattern.compile("L(dev/sheaf/[\\w/$]+)[;<]");

  @Test
  void packages_haveNoCycles() {
    Map<String, Map<String, String>> edges = new TreeMap<>();
    classes()
        .forEach(
            (name, seen) -> {
              for (String other : seen) {
                if (!partOf(other).equals(partOf(name))) {
                  edges
                      .computeIfAbsent(partOf(name), part -> new TreeMap<>())
                      .putIfAbsent(partOf(other), name + " -> " + other);
                }
              }
            });
    List<String> cycles = new ArrayList<>();
    edges.forEach(
        (part, others) ->
            others.forEach(
                (other, example) -> {
                  if (reaches(edges, other, part)) {
                    cycles.add(example);
                  }
                }));
    assertThat(edges).hasSizeGreaterThan(10);
    assertThat(cycles).isEmpty();
  }

  @Test
  void usersPackage_knowsInternalsByItsFactoriesAlone() {
    classes()
        .forEach(
            (name, seen) -> {
              if (packageOf(name).equals(OWN)) {
                assertThat(seen).as(name).noneMatch(other -> other.startsWith(INTERNAL));
              }
            });
  }

  @Test
  void valuesOfUsers_seeNothingInternal() {
    Map<String, Set<String>> classes = classes();
    assertThat(classes.keySet()).containsAll(VALUES);
    VALUES.forEach(
        value -> assertThat(classes.get(value)).noneMatch(name -> name.startsWith(INTERNAL)));
  }

  @Test
  void whatUsersSee_namesNothingInternal() throws ClassNotFoundException {
    List<String> named = new ArrayList<>();
    int looked = 0;
    for (String name : compiled().keySet()) {
      Class<?> type = Class.forName(name, false, Sheaf.class.getClassLoader());
      if (!name.startsWith(INTERNAL) && isSeen(type)) {
        looked++;
        signatures(type).filter(s -> s.contains(INTERNAL)).forEach(named::add);
      }
    }
    assertThat(looked).isGreaterThan(50);
    assertThat(named).isEmpty();
  }

  @Test
  void packages_areSmallEnoughToRead() {
    Map<String, Integer> types = new TreeMap<>();
    classes().keySet().forEach(name -> types.merge(packageOf(name), 1, Integer::sum));
    types.forEach((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo(MAX_TYPES));
  }

  @Test
  void classes_knowEachOtherInSmallCircles() {
    List<Set<String>> larger =
        circles(classes()).stream().filter(circle -> circle.size() > MAX_CIRCLE).toList();
    assertThat(larger).isEmpty();
  }

  @Test
  void publicTypes_areNoMoreThanToday() throws ClassNotFoundException {
    List<String> seen = new ArrayList<>();
    for (String name : compiled().keySet()) {
      if (!name.startsWith(INTERNAL)
          && isSeen(Class.forName(name, false, Sheaf.class.getClassLoader()))) {
        seen.add(name);
      }
    }
    assertThat(seen).hasSizeLessThanOrEqualTo(MAX_PUBLIC_TYPES);
    assertThat(seen.stream().filter(name -> name.indexOf('$') < 0))
        .hasSizeLessThanOrEqualTo(MAX_TOP_LEVEL_TYPES);
  }

  @Test
  void rulesThatAdapt_areThoseOfThePage() throws Exception {
    List<String> deciding = new ArrayList<>();
    for (String name : compiled().keySet()) {
      for (Method method :
          Class.forName(name, false, Sheaf.class.getClassLoader()).getDeclaredMethods()) {
        if (method.getName().equals(RULE)) {
          deciding.add(name);
        }
      }
    }
    assertThat(deciding).containsExactlyInAnyOrderElementsOf(RULES);
    String page = Files.readString(PAGE);
    for (String rule : RULES) {
      assertThat(page).contains("| `" + rule.replaceFirst(".*[.$]", "") + "`");
    }
  }

  @Test
  void typesOfLettuceAndNettyThatAreExtended_areOnThePageOfTheSeam() throws Exception {
    Set<String> extended = new TreeSet<>();
    for (String name : compiled().keySet()) {
      Class<?> type = Class.forName(name, false, Sheaf.class.getClassLoader());
      Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()))
          .filter(above -> above.getName().matches("io[.](lettuce|netty)[.].*"))
          .forEach(above -> extended.add(above.getSimpleName()));
    }
    assertThat(extended).hasSizeGreaterThan(30).containsAll(OF_USERS);
    extended.removeAll(OF_USERS);
    String page = Files.readString(SEAM);
    extended.removeIf(type -> Pattern.compile("`" + type + "[`:.]").matcher(page).find());
    assertThat(extended).isEmpty();
  }

  @Test
  void pageOfTheSeam_namesClassesThatExist() throws Exception {
    Set<String> classes = new TreeSet<>();
    classes().keySet().forEach(name -> classes.add(name.substring(name.lastIndexOf('.') + 1)));
    List<String> named = new ArrayList<>();
    for (String line : Files.readAllLines(SEAM)) {
      String[] columns = line.split(" \\| ", -1);
      if (columns.length == 3) {
        QUOTED.matcher(columns[1]).results().forEach(quoted -> named.add(quoted.group(1)));
      }
    }
    assertThat(named).hasSizeGreaterThan(30).isSubsetOf(classes);
  }

  /** The classes that can be reached from each other. */
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

  private static Set<String> reachedFrom(Map<String, Set<String>> edges, String from) {
    Set<String> reached = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(edges.getOrDefault(from, Set.of()));
    while (!open.isEmpty()) {
      String next = open.remove();
      if (reached.add(next)) {
        open.addAll(edges.getOrDefault(next, Set.of()));
      }
    }
    return reached;
  }

  private static boolean isSeen(Class<?> type) {
    for (Class<?> outer = type; outer != null; outer = outer.getDeclaringClass()) {
      if (!Modifier.isPublic(outer.getModifiers()) && !Modifier.isProtected(outer.getModifiers())) {
        return false;
      }
    }
    return !type.isAnonymousClass() && !type.isLocalClass();
  }

  private static Stream<String> signatures(Class<?> type) {
    List<String> all = new ArrayList<>();
    all.add(type.toGenericString());
    all.add(type.getName() + " extends " + type.getGenericSuperclass());
    Arrays.stream(type.getGenericInterfaces()).forEach(i -> all.add(type.getName() + ": " + i));
    for (Field field : type.getDeclaredFields()) {
      addIfSeen(field.getModifiers(), field.toGenericString(), all);
    }
    for (Executable constructor : type.getDeclaredConstructors()) {
      addIfSeen(constructor.getModifiers(), constructor.toGenericString(), all);
    }
    for (Method method : type.getDeclaredMethods()) {
      if (!method.isSynthetic()) {
        addIfSeen(method.getModifiers(), method.toGenericString(), all);
      }
    }
    return all.stream();
  }

  private static void addIfSeen(int modifiers, String signature, List<String> all) {
    if (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)) {
      all.add(signature);
    }
  }

  private static boolean reaches(
      Map<String, Map<String, String>> edges, String from, String wanted) {
    Set<String> seen = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty()) {
      String part = open.remove();
      if (part.equals(wanted)) {
        return true;
      }
      if (seen.add(part)) {
        open.addAll(edges.getOrDefault(part, Map.of()).keySet());
      }
    }
    return false;
  }

  /** The package of a type, of which the users' own has two parts: values, and the client. */
  private static String partOf(String name) {
    return VALUES.contains(name) ? "values of users" : packageOf(name);
  }

  private static String packageOf(String name) {
    return name.substring(0, name.lastIndexOf('.'));
  }

  /** The types with what they see, those within a type counted as it. */
  private static Map<String, Set<String>> classes() {
    Map<String, Set<String>> types = new TreeMap<>();
    compiled()
        .forEach(
            (name, seen) -> {
              Set<String> all = types.computeIfAbsent(outermost(name), n -> new TreeSet<>());
              for (String other : seen) {
                if (!FACTORIES.contains(outermost(name)) || !other.startsWith(INTERNAL)) {
                  all.add(outermost(other));
                }
              }
            });
    return types;
  }

  private static String outermost(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private static Map<String, Set<String>> compiled() {
    try {
      Path code = Path.of(Sheaf.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(code)) {
        return compiledBelow(code);
      }
      try (FileSystem jar = FileSystems.newFileSystem(code)) {
        return compiledBelow(jar.getPath("/"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<String, Set<String>> compiledBelow(Path root) throws IOException {
    Map<String, Set<String>> classes = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
        String path = root.relativize(file).toString().replace('\\', '/');
        if (!path.endsWith("package-info.class")) {
          String name = path.substring(0, path.length() - ".class".length());
          classes.put(name.replace('/', '.'), seenBy(file));
        }
      }
    }
    return classes;
  }

  /** The classes of this project that a class file names, in its constant pool. */
  private static Set<String> seenBy(Path file) throws IOException {
    Set<String> seen = new TreeSet<>();
    try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
      in.skipNBytes(8);
      int constants = in.readUnsignedShort();
      Map<Integer, String> texts = new HashMap<>();
      List<Integer> classNames = new ArrayList<>();
      for (int i = 1; i < constants; i++) {
        int tag = in.readUnsignedByte();
        switch (tag) {
          case 1 -> texts.put(i, in.readUTF());
          case 7 -> classNames.add(in.readUnsignedShort());
          case 8, 16, 19, 20 -> in.skipNBytes(2);
          case 15 -> in.skipNBytes(3);
          case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
          case 5, 6 -> {
            in.skipNBytes(8);
            i++;
          }
          default -> throw new IOException("Constant of unknown kind " + tag + " in " + file);
        }
      }
      classNames.forEach(index -> addIfOwn(texts.get(index), seen));
      texts
          .values()
          .forEach(
              text -> {
                Matcher described = DESCRIBED.matcher(text);
                while (described.find()) {
                  addIfOwn(described.group(1), seen);
                }
              });
    }
    return seen;
  }

  private static void addIfOwn(String path, Set<String> seen) {
    if (path.startsWith("dev/sheaf/")) {
      seen.add(path.replace('/', '.'));
    } else if (path.startsWith("[") && path.contains("Ldev/sheaf/")) {
      seen.add(path.substring(path.indexOf('L') + 1, path.length() - 1).replace('/', '.'));
    }
  }
}
