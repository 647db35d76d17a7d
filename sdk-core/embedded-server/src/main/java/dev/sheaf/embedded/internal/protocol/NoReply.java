// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

/** Discards a reply: for CLIENT REPLY OFF, and for commands replicated from a master. */
public final class NoReply implements Reply {
  public static final NoReply INSTANCE = new NoReply();

  private NoReply() {}

  @Override
  public int protocol() {
    return 2;
  }

  @Override
  public void status(String text) {}

  @Override
  public void error(String line) {}

  @Override
  public void integer(long value) {}

  @Override
  public void bulk(byte[] bytes) {}

  @Override
  public void nil() {}

  @Override
  public void nilArray() {}

  @Override
  public void open(char kind, int size) {}

  @Override
  public void number(double value) {}

  @Override
  public void digits(char kind, String digits) {}

  @Override
  public void bool(boolean value) {}

  @Override
  public void verbatim(byte[] text) {}
}
