// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.data.Dump;
import dev.sheaf.embedded.internal.data.ListValue;
import dev.sheaf.embedded.internal.data.Value;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** DEBUG: the subcommands that tests use and that are meaningful in memory. */
final class DebugCommand {
  private static final int DIGEST_BYTES = 20;

  static void run(Call call) {
    switch (call.text(1).toUpperCase(Locale.ROOT) + " " + call.count()) {
      case "SLEEP 3" -> sleep(call);
      case "OBJECT 3" -> object(call);
      case "DIGEST 2" -> call.out.status(HexFormat.of().formatHex(digest(call)));
      case "SET-ACTIVE-EXPIRE 3" -> {
        call.node.nodes.activeExpire = !call.text(2).equals("0");
        call.out.ok();
      }
      case "SET-DISABLE-DENY-SCRIPTS 3" -> {
        call.node.nodes.scriptsMayAll = !call.text(2).equals("0");
        call.out.ok();
      }
      case "ERROR 3" -> throw Errors.of(call.text(2));
      case "PROTOCOL 3" -> protocol(call, call.text(2).toLowerCase(Locale.ROOT));
      // Nothing is stored on disk, so nothing is loaded. These settings have no effect.
      case "RELOAD 2",
          "LOADAOF 2",
          "LOG 3",
          "CHANGE-REPL-ID 2",
          "QUICKLIST-PACKED-THRESHOLD 3",
          "REPLYBUFFER 4" ->
          call.out.ok();
      default -> {
        if (call.is(1, "DIGEST-VALUE")) {
          digestValues(call);
        } else if (call.is(1, "RELOAD")) {
          call.out.ok();
        } else {
          throw Errors.wrongUse(call);
        }
      }
    }
  }

  /** Blocks every node of this server: they share the command thread. */
  private static void sleep(Call call) {
    double seconds = call.doubleArg(2);
    try {
      Thread.sleep((long) (Math.max(0, seconds) * 1000));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    call.out.ok();
  }

  private static void object(Call call) {
    Value value = Errors.found(call.db().table().get(call.arg(2)), Errors.NO_SUCH_KEY);
    byte[] dump = Dump.of(value, Dump.VERSION_10);
    String list =
        value instanceof ListValue elements
            ? " ql_nodes:1 ql_avg_node:%d.00 ql_listpack_max:-2 ql_compressed:0 ql_uncompressed_size:%d"
                .formatted(elements.size(), value.memory())
            : "";
    call.out.status(
        "Value at:0x%x refcount:1 encoding:%s serializedlength:%d lru:%d lru_seconds_idle:%d%s"
            .formatted(
                System.identityHashCode(value),
                value.encoding(call.node.encodings()),
                dump == null ? 0 : dump.length,
                value.usedAt() / 1000 & 0xffffff,
                (call.now() - value.usedAt()) / 1000,
                list));
  }

  /** Returns the same digest for the same keys and values, in any order. */
  private static byte[] digest(Call call) {
    byte[] sum = new byte[DIGEST_BYTES];
    for (Database db : call.node.databases) {
      for (var entry = db.table().first(); entry != null; entry = entry.after()) {
        byte[] one = sha1(Bytes.of("" + db.index), entry.key, sha1(entry.value()));
        for (int i = 0; i < sum.length; i++) {
          sum[i] ^= one[i];
        }
      }
    }
    return sum;
  }

  private static void digestValues(Call call) {
    call.out.array(call.count() - 2);
    for (int i = 2; i < call.count(); i++) {
      Value value = call.db().peek(call.arg(i));
      byte[] digest = value == null ? new byte[DIGEST_BYTES] : sha1(value);
      call.out.status(HexFormat.of().formatHex(digest));
    }
  }

  /** Streams cannot be dumped; only their type counts. */
  private static byte[] sha1(Value value) {
    byte @Nullable [] dump = Dump.of(value, Dump.VERSION_10);
    return sha1(Bytes.of(value.type()), dump == null ? new byte[0] : dump);
  }

  private static byte[] sha1(byte[]... parts) {
    return HexFormat.of().parseHex(Bytes.digest("SHA-1", parts));
  }

  /** One reply of each kind, for tests of clients. */
  private static void protocol(Call call, String kind) {
    switch (kind) {
      case "string" -> call.out.bulk("Hello World");
      case "integer" -> call.out.integer(12345);
      case "double" -> call.out.number(3.141);
      case "null" -> call.out.nil();
      case "array", "set" -> {
        call.out.open(kind.equals("set") ? '~' : '*', 3);
        for (int i = 0; i < 3; i++) {
          call.out.integer(i);
        }
      }
      case "map" -> {
        call.out.map(3);
        for (int i = 0; i < 3; i++) {
          call.out.integer(i);
          call.out.bool(i == 1);
        }
      }
      case "push" -> {
        call.out.push(2);
        call.out.key("server-cpu-usage").integer(42);
      }
      case "attrib" -> {
        if (call.out.protocol() == 3) {
          call.out.open('|', 1);
          call.out.key("key-popularity").list("key:123", 90);
        }
        call.out.bulk("Some real reply following the attribute");
      }
      case "verbatim" -> call.out.verbatim(Bytes.of("This is a verbatim\nstring"));
      case "bignum" -> call.out.bigNumber("1234567999999999999999999999999999999");
      case "true", "false" -> call.out.bool(kind.equals("true"));
      default ->
          throw Errors.of(
              "ERR Wrong protocol type name. Please use one of the following:"
                  + " string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false");
    }
  }
}
