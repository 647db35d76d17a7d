// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The origin of a call: the stack frames of application code up to the server or thread pool that
 * runs it, or those of a library if there is no application code. Immutable.
 *
 * <p>Calls on the same line are one place.
 */
final class CallSite {

  /**
   * Most stacks to inspect per second to detect loops, and as many to learn them while nothing is
   * read ahead. Each takes some microseconds, so this is about a thousandth of one processor each.
   */
  static final int MAX_LOOKS_PER_SECOND = 100;

  /** How many frames distinguish places. A deeper recursion looks like a loop. */
  private static final int COMPARED_FRAMES = 8;

  /** How many frames reports show: the call site and its callers. */
  private static final int SHOWN_FRAMES = 4;

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /** Prefixes of classes between the application and the socket. */
  private static final List<String> LIBRARIES =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "com.sun.",
          "io.lettuce.",
          "org.springframework.",
          "dev.sheaf.spring.",
          "reactor.",
          "kotlin.",
          "kotlinx.",
          "org.aspectj.",
          "io.micrometer.",
          "io.opentelemetry.");

  /** Prefixes of classes that dispatch work: application loops are not among their callers. */
  private static final List<String> SERVERS =
      List.of(
          "java.util.concurrent.",
          "jakarta.",
          "javax.servlet.",
          "sun.net.httpserver.",
          "com.sun.net.httpserver.",
          "io.netty.",
          "io.undertow.",
          "io.grpc.",
          "io.vertx.",
          "org.apache.catalina.",
          "org.apache.coyote.",
          "org.apache.tomcat.",
          "org.apache.kafka.",
          "org.eclipse.jetty.",
          "org.glassfish.",
          "org.quartz.",
          "org.springframework.amqp.",
          "org.springframework.jms.",
          "org.springframework.kafka.",
          "org.springframework.messaging.",
          "org.springframework.scheduling.",
          "org.springframework.security.web.",
          "org.springframework.web.");

  /** The public package, without subpackages. */
  private static final String OWN_PACKAGE = LoopReport.class.getPackageName();

  /** The prefix of internal packages. */
  private static final String INTERNAL = OWN_PACKAGE + ".internal.";

  private final List<StackFrame> frames;

  /** Whether the frames are application code. */
  private final boolean application;

  /** Frames of JDK collections between those of the application. */
  private final List<StackFrame> iterating;

  private final long fingerprint;

  private CallSite(List<StackFrame> frames, boolean application, List<StackFrame> iterating) {
    this.frames = frames;
    this.application = application;
    this.iterating = iterating;
    long hash = frames.size();
    for (StackFrame frame : frames) {
      hash = 31 * hash + frame.getClassName().hashCode();
      hash = 31 * hash + frame.getMethodName().hashCode();
      int line = frame.getLineNumber();
      hash = 31 * hash + (line < 0 ? frame.getByteCodeIndex() : line);
    }
    this.fingerprint = hash == 0 ? 1 : hash;
  }

  /** Inspects the stack; takes some microseconds. */
  static CallSite ofCurrentThread() {
    return WALKER.walk(stack -> of(stack.iterator(), COMPARED_FRAMES));
  }

  /** Inspects the stack up to the call site, without callers; takes about a microsecond. */
  static CallSite nearestOfCurrentThread() {
    return WALKER.walk(stack -> of(stack.iterator(), 1));
  }

  private static CallSite of(Iterator<StackFrame> stack, int most) {
    List<StackFrame> frames = new ArrayList<>();
    List<StackFrame> readers = new ArrayList<>();
    List<StackFrame> iterating = new ArrayList<>();
    List<StackFrame> maybeIterating = new ArrayList<>();
    while (stack.hasNext() && frames.size() < most) {
      StackFrame frame = stack.next();
      String name = frame.getClassName();
      if (!frames.isEmpty() && isServer(name)) {
        break;
      }
      if (isApplication(name)) {
        frames.add(frame);
        iterating.addAll(maybeIterating);
        maybeIterating.clear();
      } else if (!frames.isEmpty() && mayIterate(name)) {
        maybeIterating.add(frame);
      } else if (frames.isEmpty() && readers.size() < COMPARED_FRAMES && isReader(name)) {
        readers.add(frame);
      }
    }
    return frames.isEmpty()
        ? new CallSite(List.copyOf(readers), false, List.of())
        : new CallSite(List.copyOf(frames), true, List.copyOf(iterating));
  }

  /** Whether a class belongs to a library that reads by itself, such as one for batch jobs. */
  private static boolean isReader(String name) {
    return name.startsWith("org.springframework.")
        && !name.startsWith("org.springframework.data.")
        && !isServer(name);
  }

  /** Whether a class dispatches work. */
  static boolean isServer(String name) {
    return SERVERS.stream().anyMatch(name::startsWith);
  }

  /** Whether a class may iterate over a collection or stream. */
  static boolean mayIterate(String name) {
    return name.equals("java.lang.Iterable") || name.startsWith("java.util.");
  }

  /** Whether a class is application code. */
  static boolean isApplication(String name) {
    boolean inOwnPackage =
        name.lastIndexOf('.') == OWN_PACKAGE.length() && name.startsWith(OWN_PACKAGE);
    if (inOwnPackage || name.startsWith(INTERNAL) || isServer(name)) {
      return false;
    }
    // Generated proxies: the JDK's, and those of CGLIB and Byte Buddy.
    return LIBRARIES.stream().noneMatch(name::startsWith)
        && !name.contains("$Proxy")
        && !name.contains("$$");
  }

  /**
   * Whether the call is inside a loop of application code, and not only in that of a server that
   * handles requests. Reads class files; used once for each place.
   */
  boolean isInLoop() {
    return frames.stream().anyMatch(CodeLoops::isAround)
        || iterating.stream().anyMatch(CodeLoops::isAround);
  }

  /** Whether neither application nor library code was found. */
  boolean isEmpty() {
    return frames.isEmpty();
  }

  /** Whether it is in application code, and not in a library's on its own thread. */
  boolean isOfApplication() {
    return application;
  }

  /** A hash of the place; not 0. */
  long fingerprint() {
    return fingerprint;
  }

  /** The call site and its nearest callers, as in a stack trace. */
  List<String> describe() {
    return frames.stream().limit(SHOWN_FRAMES).map(CallSite::describe).toList();
  }

  private static String describe(StackFrame frame) {
    String file = frame.getFileName();
    String place =
        file == null
            ? "Unknown Source"
            : frame.getLineNumber() < 0 ? file : file + ":" + frame.getLineNumber();
    return frame.getClassName() + "." + frame.getMethodName() + "(" + place + ")";
  }
}
