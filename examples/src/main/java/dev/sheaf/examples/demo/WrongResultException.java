package dev.sheaf.examples.demo;

/** A way of doing the work gave another result than the data that was stored. */
final class WrongResultException extends DemoException {

  private static final long serialVersionUID = 1L;

  WrongResultException(String message) {
    super(message);
  }
}
