package dev.sheaf.embedded.internal.protocol;

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
          "setrange",
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
          "xreadgroup",
          "xclaim",
          "xautoclaim",
          "pfmerge",
          "move");

  /** May write in another form what is there, but nothing else. */
  private static final Set<String> LOOKING = Set.of("pfcount", "pfdebug");

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

  /** {@code key} counts the keys of the command from zero. */
  public static KeyAccess of(Command command, int key) {
    String name = command.name();
    boolean reads = !command.isWrite() && !command.is(Flag.MAY_REPLICATE);
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
}
