package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Bytes;
import java.util.Set;

/**
 * What a command does to one of its keys, as permissions see it.
 *
 * @param reads whether it tells what the key holds
 * @param writes whether it changes the key
 */
public record KeyAccess(boolean reads, boolean writes) {
  private static final KeyAccess READ = new KeyAccess(true, false);
  private static final KeyAccess WRITE = new KeyAccess(false, true);
  private static final KeyAccess BOTH = new KeyAccess(true, true);
  private static final KeyAccess NEITHER = new KeyAccess(false, false);

  /** Tell something about a key, but nothing of what it holds. */
  private static final Set<String> SILENT =
      Set.of(
          "exists",
          "hexists",
          "hlen",
          "hstrlen",
          "llen",
          "memory|usage",
          "object|encoding",
          "object|freq",
          "object|idletime",
          "object|refcount",
          "scard",
          "sismember",
          "strlen",
          "touch",
          "type",
          "watch",
          "xlen",
          "zcard");

  /** Change a key and tell what it held. */
  private static final Set<String> TELLING =
      Set.of(
          "incr",
          "incrby",
          "incrbyfloat",
          "decr",
          "decrby",
          "getset",
          "getdel",
          "getex",
          "hincrby",
          "hincrbyfloat",
          "zincrby",
          "setbit",
          "lpop",
          "rpop",
          "blpop",
          "brpop",
          "lmpop",
          "blmpop",
          "spop",
          "zpopmin",
          "zpopmax",
          "bzpopmin",
          "bzpopmax",
          "zmpop",
          "bzmpop",
          "bitfield",
          "eval",
          "evalsha",
          "fcall",
          "pfmerge",
          "move",
          "migrate");

  /** Write, but not what the key holds: its form, or what a consumer has seen. */
  private static final Set<String> LOOKING = Set.of("pfcount", "pfdebug", "xreadgroup");

  /** The first key is written, the others are read. */
  private static final Set<String> STORING =
      Set.of(
          "bitop",
          "sinterstore",
          "sunionstore",
          "sdiffstore",
          "zinterstore",
          "zunionstore",
          "zdiffstore",
          "zrangestore",
          "geosearchstore");

  /** The first key is read and written, the second written. */
  private static final Set<String> MOVING =
      Set.of("rename", "renamenx", "lmove", "blmove", "rpoplpush", "brpoplpush", "smove");

  /** The first key is read, the second written. */
  private static final Set<String> COPYING =
      Set.of("copy", "sort", "georadius", "georadiusbymember");

  /**
   * What a command does to one of its keys.
   *
   * @param key counts the keys of the command from zero
   * @param args the whole command: SET and BITFIELD depend on their options
   */
  public static KeyAccess of(Command command, int key, byte[][] args) {
    String name = command.name();
    boolean reads = !command.isWrite() && !command.is(Flag.MAY_REPLICATE);
    if (SILENT.contains(name)) {
      return NEITHER;
    }
    if (name.equals("set")) {
      return has(args, 3, "GET") ? BOTH : WRITE;
    }
    if (name.equals("bitfield") && !has(args, 2, "SET") && !has(args, 2, "INCRBY")) {
      return READ;
    }
    if (reads || command.group() == Group.HYPERLOGLOG && key > 0 || LOOKING.contains(name)) {
      return READ;
    }
    if (STORING.contains(name)) {
      return key == 0 ? WRITE : READ;
    }
    if (MOVING.contains(name)) {
      return key == 0 ? BOTH : WRITE;
    }
    if (COPYING.contains(name)) {
      return key == 0 ? READ : WRITE;
    }
    return TELLING.contains(name) ? BOTH : WRITE;
  }

  private static boolean has(byte[][] args, int from, String option) {
    for (int i = from; i < args.length; i++) {
      if (Bytes.is(args[i], option)) {
        return true;
      }
    }
    return false;
  }
}
