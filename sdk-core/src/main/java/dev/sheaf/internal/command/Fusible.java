// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import dev.sheaf.BatchingOptions;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.TransactionalCommand;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The reads of which several may travel as one. Each adds its last argument, its item: the key of a
 * GET, the field of an HGET.
 */
public enum Fusible {
  GET(CommandType.GET, CommandType.MGET, 1),
  HGET(CommandType.HGET, CommandType.HMGET, 2);

  /** An asterisk and the digits of an int. */
  private static final int MAX_COUNT_BYTES = 11;

  private final CommandType fused;
  private final int arguments;
  private final byte[] header;
  private final byte[] fusedName;

  Fusible(CommandType single, CommandType fused, int arguments) {
    this.fused = fused;
    this.arguments = arguments;
    this.header = ascii("*" + (arguments + 1) + "\r\n" + framed(single));
    this.fusedName = ascii("\r\n" + framed(fused));
  }

  private static String framed(CommandType name) {
    return "$" + name.toString().length() + "\r\n" + name + "\r\n";
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Whether a read of this name may be fused as it stands.
   *
   * @param request as it travels
   */
  boolean fits(RedisCommand<?, ?, ?> command, byte[] request) {
    return command.getArgs() != null
        && command.getArgs().count() == arguments
        && command.getOutput() != null
        && isHeaderOf(request)
        && CommandWrapper.unwrap(command, TransactionalCommand.class) == null;
  }

  private boolean isHeaderOf(byte[] request) {
    return request.length > header.length
        && Arrays.equals(request, 0, header.length, header, 0, header.length);
  }

  /** Whether the options let runs of such reads travel as one. */
  public boolean isOn(BatchingOptions options) {
    return this == GET ? options.fusion() : options.hashFusion();
  }

  /** What the fused command is called. */
  public CommandType fused() {
    return fused;
  }

  /** How long the request of one read is up to its key. */
  int headerBytes() {
    return header.length;
  }

  /** A request of one read, as long as is said, in which the arguments are missing. */
  byte[] requestOf(int length) {
    return Arrays.copyOf(header, length);
  }

  /**
   * Begins a fused request, up to its first argument.
   *
   * @return where that goes
   */
  public int putFusedHeader(byte[] request, int items) {
    request[0] = '*';
    int end = putDecimal(request, 1, items + arguments);
    System.arraycopy(fusedName, 0, request, end, fusedName.length);
    return end + fusedName.length;
  }

  /** More than {@link #putFusedHeader} writes. */
  public int fusedHeaderBytes() {
    return fusedName.length + MAX_COUNT_BYTES;
  }

  /** How many digits a number has that is not negative. */
  static int digits(int number) {
    int digits = 1;
    for (int rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  /**
   * Puts a number that is not negative into a request.
   *
   * @return where it ends
   */
  static int putDecimal(byte[] request, int at, int number) {
    int end = at + digits(number);
    int rest = number;
    for (int i = end - 1; i >= at; i--) {
      request[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return end;
  }
}
