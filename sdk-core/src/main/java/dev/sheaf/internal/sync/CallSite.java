package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import java.lang.StackWalker.StackFrame;
import java.util.List;

/** Where the current thread's call comes from: the frames of the user's own code. Immutable. */
final class CallSite {

  /**
   * How many frames tell one place from another. A recursion deeper than that looks like a loop.
   */
  private static final int COMPARED_FRAMES = 8;

  /** How many frames are shown: the call site and its callers. */
  private static final int SHOWN_FRAMES = 4;

  private static final StackWalker WALKER = StackWalker.getInstance();

  /** Code between the user's and the socket, by the beginning of its class names. */
  private static final List<String> NOT_THE_USERS =
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
          "io.micrometer.");

  /** The package that users see, without those below it. */
  private static final String OWN_PACKAGE = LoopReport.class.getPackageName();

  /** How the packages begin that users do not see. */
  private static final String INTERNAL = OWN_PACKAGE + ".internal.";

  private final List<StackFrame> frames;
  private final long fingerprint;

  private CallSite(List<StackFrame> frames) {
    this.frames = frames;
    long hash = frames.size();
    for (StackFrame frame : frames) {
      hash = 31 * hash + frame.getClassName().hashCode();
      hash = 31 * hash + frame.getMethodName().hashCode();
      hash = 31 * hash + frame.getByteCodeIndex();
    }
    this.fingerprint = hash == 0 ? 1 : hash;
  }

  /** Looks at the stack; some microseconds. */
  static CallSite ofCurrentThread() {
    return new CallSite(
        WALKER.walk(stack -> stack.filter(CallSite::isTheUsers).limit(COMPARED_FRAMES).toList()));
  }

  private static boolean isTheUsers(StackFrame frame) {
    String name = frame.getClassName();
    boolean inOwnPackage =
        name.lastIndexOf('.') == OWN_PACKAGE.length() && name.startsWith(OWN_PACKAGE);
    if (inOwnPackage || name.startsWith(INTERNAL)) {
      return false;
    }
    for (String prefix : NOT_THE_USERS) {
      if (name.startsWith(prefix)) {
        return false;
      }
    }
    // Proxies made at run time: the JDK's, and those of CGLIB and Byte Buddy.
    return !name.contains("$Proxy") && !name.contains("$$");
  }

  boolean isEmpty() {
    return frames.isEmpty();
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
