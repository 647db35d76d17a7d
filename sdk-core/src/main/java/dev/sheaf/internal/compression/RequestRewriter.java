// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.internal.command.RespRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Replaces the values of one request by their stored form. */
final class RequestRewriter implements ArgumentShape.Visitor {

  private final RespRequest request;
  private final ValueEncoder encoder;
  private final Scratch scratch;

  /** Empty until a value changes. */
  private byte[] rewritten = {};

  private int written;

  /** The end of what has been copied from the request. */
  private int copied;

  private RequestRewriter(RespRequest request, ValueEncoder encoder, Scratch scratch) {
    this.request = request;
    this.encoder = encoder;
    this.scratch = scratch;
  }

  /**
   * Returns the request to send: the same array if nothing changes.
   *
   * @throws CompressionRefusedException if the command must not run on a value that can be
   *     compressed
   */
  static byte[] rewrite(CommandRule rule, byte[] bytes, ValueEncoder encoder) {
    RespRequest request = new RespRequest(bytes);
    int refused = rule.refusal().refusedKey(request, encoder.policies());
    if (refused >= 0) {
      throw new CompressionRefusedException(
          rule.name()
              + " works on the bytes that are stored, and those of key "
              + request.shown(refused)
              + " may be compressed: "
              + rule.reason()
              + ". Exclude such keys with CompressionPolicy.off(prefix)");
    }
    try (Scratch scratch = Scratch.borrow()) {
      RequestRewriter rewriter = new RequestRewriter(request, encoder, scratch);
      rule.arguments().visit(request, rewriter);
      return rewriter.result();
    }
  }

  @Override
  public void value(int index, int keyIndex) {
    int stored =
        encoder.encode(
            request.bytes(),
            request.start(keyIndex),
            request.end(keyIndex),
            request.bytes(),
            request.start(index),
            request.end(index),
            scratch);
    replace(index, stored);
  }

  @Override
  public void compared(int index, int keyIndex) {
    encoder.requireComparable(
        request.name(),
        request.bytes(),
        request.start(keyIndex),
        request.end(keyIndex),
        request.length(index));
    replace(
        index,
        encoder.escape(request.bytes(), request.start(index), request.length(index), scratch));
  }

  private void replace(int index, int stored) {
    if (stored == ValueEncoder.UNCHANGED) {
      return;
    }
    byte[] lengthLine = ("$" + stored + "\r\n").getBytes(StandardCharsets.US_ASCII);
    int frameStart = request.frameStart(index);
    int rest = request.bytes().length - request.end(index);
    reserve(frameStart - copied + lengthLine.length + stored + rest);
    append(request.bytes(), copied, frameStart - copied);
    append(lengthLine, 0, lengthLine.length);
    append(scratch.buffer(), 0, stored);
    copied = request.end(index);
  }

  /** Exact for the last change, so that a single one needs no further copy. */
  private void reserve(int bytes) {
    if (rewritten.length - written < bytes) {
      int grown = rewritten.length + rewritten.length / 2;
      rewritten = Arrays.copyOf(rewritten, Math.max(Math.addExact(written, bytes), grown));
    }
  }

  private void append(byte[] source, int offset, int length) {
    System.arraycopy(source, offset, rewritten, written, length);
    written += length;
  }

  private byte[] result() {
    if (copied == 0) {
      return request.bytes();
    }
    append(request.bytes(), copied, request.bytes().length - copied);
    return written == rewritten.length ? rewritten : Arrays.copyOf(rewritten, written);
  }
}
