package dev.sheaf.embedded.net;

/** The client broke the protocol; it gets the message and is disconnected. */
final class ProtocolException extends Exception {
  ProtocolException(String what) {
    super("ERR Protocol error: " + what, null, false, false);
  }
}
