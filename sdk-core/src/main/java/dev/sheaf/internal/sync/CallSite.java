// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Where the current thread's call comes from: the frames of the application's own code, up to what
 * handed it this piece of work, as a server or a pool of threads; of a library's code where there
 * is none of the application's. Immutable.
 *
 * <p>Calls on the same line are one place.
 */
final class CallSite {

  /**
   * How many stacks are looked at in a second to find loops, and as many to learn them while
   * nothing is read ahead. A look takes some microseconds, so each is about a thousandth of one
   * processor.
   */
  static final int MAX_LOOKS_PER_SECOND = 100;

  /**
   * How many frames tell one place from another. A recursion deeper than that looks like a loop.
   */
  private static final int COMPARED_FRAMES = 8;

  /** How many frames are shown: the call site and its callers. */
  private static final int SHOWN_FRAMES = 4;

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /** Code between the application's and the socket, by the beginning of its class names. */
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

  /** What hands out work: what called it is not where a loop of the application's can be. */
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

  /** The package that users see, without those below it. */
  private static final String OWN_PACKAGE = LoopReport.class.getPackageName();

  /** How the packages begin that users do not see. */
  private static final String INTERNAL = OWN_PACKAGE + ".internal.";

  private final List<StackFrame> frames;

  /** Whether the frames are of the application's own code. */
  private final boolean application;

  /** Frames of the JDK's collections between those of the application. */
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

  /** Looks at the stack; some microseconds. */
  static CallSite ofCurrentThread() {
    return WALKER.walk(stack -> of(stack.iterator(), COMPARED_FRAMES));
  }

  /** Looks at the stack as far as the call site, without its callers; about a microsecond. */
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

  /** Whether a class of this name is of a library that reads for itself, as that of batch jobs. */
  private static boolean isReader(String name) {
    return name.startsWith("org.springframework.")
        && !name.startsWith("org.springframework.data.")
        && !isServer(name);
  }

  /** Whether a class of this name hands out work to others. */
  static boolean isServer(String name) {
    return SERVERS.stream().anyMatch(name::startsWith);
  }

  /** Whether a class of this name may loop over what a collection or stream holds. */
  static boolean mayIterate(String name) {
    return name.equals("java.lang.Iterable") || name.startsWith("java.util.");
  }

  /** Whether a class of this name is the application's own. */
  static boolean isApplication(String name) {
    boolean inOwnPackage =
        name.lastIndexOf('.') == OWN_PACKAGE.length() && name.startsWith(OWN_PACKAGE);
    if (inOwnPackage || name.startsWith(INTERNAL) || isServer(name)) {
      return false;
    }
    // Proxies made at run time: the JDK's, and those of CGLIB and Byte Buddy.
    return LIBRARIES.stream().noneMatch(name::startsWith)
        && !name.contains("$Proxy")
        && !name.contains("$$");
  }

  /**
   * Whether the call stands in a loop of the application's code, and not only in that of a server
   * that handles one request after the other. Reads class files; for places that are not known yet.
   */
  boolean isInLoop() {
    return frames.stream().anyMatch(CodeLoops::isAround)
        || iterating.stream().anyMatch(CodeLoops::isAround);
  }

  /** Whether no code is known that calls, neither the application's nor a library's. */
  boolean isEmpty() {
    return frames.isEmpty();
  }

  /**
   * Whether it is in the application's own code, and not in that of a library on its own thread.
   */
  boolean isOfApplication() {
    return application;
  }

  /** Equal for equal places, different for different ones; not 0. */
  long fingerprint() {
    return fingerprint;
  }

  /** The call site and its nearest callers as in a stack trace. */
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
