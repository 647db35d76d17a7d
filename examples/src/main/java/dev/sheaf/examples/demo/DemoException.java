package dev.sheaf.examples.demo;

import org.jspecify.annotations.Nullable;

/** A problem that its message explains to the user in full; nobody needs the stack trace. */
class DemoException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    this(message, null);
  }

  DemoException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
