// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Config;
import dev.sheaf.embedded.internal.node.Connection;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.node.SlowLog;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Flag;
import dev.sheaf.embedded.internal.protocol.Group;

/** Reports each command that runs to MONITOR, SLOWLOG and LATENCY. */
final class CommandWatch {
  private static final long NOT_TIMED = 0;
  private static final long MICROS = 1_000_000;

  /** For commands of this kind the clock is not read: they cannot take that long. */
  private static final long FAST_COMMANDS_TAKE_LESS_MICROS = 1000;

  private static final byte[] HIDDEN = Bytes.of("(redacted)");

  /** Called before the command runs; pass the result to {@link #end}. */
  static long begin(Call call) {
    ServerNode node = call.node;
    if (!node.monitors.isEmpty()
        && call.command.is(Flag.SKIP_MONITOR)
        && call.command.group() == Group.SCRIPTING) {
      monitor(call);
    }
    return isTimed(node.config, call.command) ? System.nanoTime() | 1 : NOT_TIMED;
  }

  private static boolean isTimed(Config config, Command command) {
    long slow = config.slowerThanMicros();
    boolean slowlog =
        slow >= 0 && (slow < FAST_COMMANDS_TAKE_LESS_MICROS || !command.is(Flag.FAST));
    return slowlog || config.latencyThresholdMillis() > 0;
  }

  static void end(Call call, long begun) {
    ServerNode node = call.node;
    Command command = call.command;
    if (begun != NOT_TIMED) {
      long micros = (System.nanoTime() - begun) / 1000;
      long slow = node.config.slowerThanMicros();
      if (slow >= 0
          && micros >= slow
          && !command.is(Flag.SKIP_SLOWLOG)
          && !command.is(Flag.SKIP_COMMANDLOG)
          && call.client.blocked == null) {
        note(call, micros);
      }
      long threshold = node.config.latencyThresholdMillis();
      if (threshold > 0 && micros / 1000 >= threshold) {
        String event = command.is(Flag.FAST) ? "fast-command" : "command";
        node.latencyEvents.add(event, seconds(node), micros / 1000);
      }
    }
    if (!node.monitors.isEmpty()
        && !command.is(Flag.SKIP_MONITOR)
        && !command.is(Flag.ADMIN)
        && (call.inScript || !call.client.isMasterLink())) {
      monitor(call);
    }
  }

  /** Called when a waiting command was served; the wait does not count. */
  static void served(Call call, long begun) {
    long slow = call.node.config.slowerThanMicros();
    long micros = (System.nanoTime() - begun) / 1000;
    if (slow >= 0 && micros >= slow) {
      note(call, micros);
    }
  }

  private static long seconds(ServerNode node) {
    return Math.floorDiv(node.nodes.clock.micros(), MICROS);
  }

  private static void note(Call call, long micros) {
    ServerNode node = call.node;
    Client client = call.client;
    byte[][] args = open(call);
    int count = Math.min(args.length, SlowLog.MAX_ARGUMENTS);
    byte[][] kept = new byte[count][];
    for (int i = 0; i < count; i++) {
      kept[i] =
          count < args.length && i == count - 1
              ? Bytes.of("... (" + (args.length - count + 1) + " more arguments)")
              : shortened(args[i]);
    }
    node.slowLog.add(
        seconds(node),
        micros,
        kept,
        address(client),
        client.name,
        node.config.number("slowlog-max-len"));
  }

  private static byte[] shortened(byte[] arg) {
    if (arg.length <= SlowLog.MAX_ARGUMENT_BYTES) {
      return arg;
    }
    String kept = Bytes.text(arg).substring(0, SlowLog.MAX_ARGUMENT_BYTES);
    return Bytes.latin(kept + "... (" + (arg.length - SlowLog.MAX_ARGUMENT_BYTES) + " more bytes)");
  }

  private static String address(Client client) {
    Connection connection = client.connection;
    return connection == null ? "" : connection.remoteAddress();
  }

  /** Returns the arguments without passwords. */
  private static byte[][] open(Call call) {
    byte[][] args = call.args;
    return switch (call.command.name()) {
      case "auth" -> hidden(args, 1, args.length);
      case "acl|setuser" -> hidden(args, 2, args.length);
      case "config|set" -> {
        for (int i = 2; i + 1 < args.length; i += 2) {
          if (Bytes.is(args[i], "REQUIREPASS") || Bytes.is(args[i], "MASTERAUTH")) {
            args = hidden(args, i + 1, i + 2);
          }
        }
        yield args;
      }
      case "hello" -> {
        for (int i = 2; i + 2 < args.length; i++) {
          if (Bytes.is(args[i], "AUTH")) {
            yield hidden(args, i + 1, i + 3);
          }
        }
        yield args;
      }
      case "migrate" -> {
        for (int i = 6; i < args.length && !Bytes.is(args[i], "KEYS"); i++) {
          boolean withName = Bytes.is(args[i], "AUTH2");
          if (withName || Bytes.is(args[i], "AUTH")) {
            args = hidden(args, i + 1, Math.min(args.length, i + (withName ? 3 : 2)));
          }
        }
        yield args;
      }
      default -> args;
    };
  }

  private static byte[][] hidden(byte[][] args, int from, int to) {
    byte[][] copy = args.clone();
    for (int i = from; i < to; i++) {
      copy[i] = HIDDEN;
    }
    return copy;
  }

  private static void monitor(Call call) {
    ServerNode node = call.node;
    long micros = node.nodes.clock.micros();
    StringBuilder line = new StringBuilder();
    line.append(Math.floorDiv(micros, MICROS)).append('.');
    String fraction = Long.toString(MICROS + Math.floorMod(micros, MICROS));
    line.append(fraction, 1, fraction.length());
    line.append(" [").append(call.client.dbIndex).append(' ').append(origin(call)).append(']');
    for (byte[] arg : open(call)) {
      line.append(' ');
      quote(line, arg);
    }
    node.monitors.forEach(client -> client.pushes().status(line.toString()));
  }

  private static String origin(Call call) {
    Connection connection = call.client.connection;
    if (call.inScript || connection == null) {
      return "lua";
    }
    return connection.isUnixSocket()
        ? "unix:" + call.node.config.get("unixsocket")
        : connection.remoteAddress();
  }

  private static void quote(StringBuilder line, byte[] arg) {
    line.append('"');
    for (byte b : arg) {
      switch (b) {
        case '\\', '"' -> line.append('\\').append((char) b);
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\t' -> line.append("\\t");
        case 7 -> line.append("\\a");
        case '\b' -> line.append("\\b");
        default -> {
          if (b >= ' ' && b < 127) {
            line.append((char) b);
          } else {
            line.append("\\x").append(Character.forDigit(b >> 4 & 15, 16));
            line.append(Character.forDigit(b & 15, 16));
          }
        }
      }
    }
    line.append('"');
  }
}
