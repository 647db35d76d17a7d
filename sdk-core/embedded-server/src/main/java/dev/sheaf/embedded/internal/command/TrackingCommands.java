// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.node.Tracking;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** CLIENT TRACKING and related commands. */
final class TrackingCommands {
  private static Tracking.@Nullable Mode mode(Call call) {
    return call.node.tracking.mode(call.client);
  }

  /**
   * Returns the client that receives invalidations: -1 without tracking, 0 for the client itself.
   */
  static long redirect(ServerNode node, Client client) {
    Tracking.Mode mode = node.tracking.mode(client);
    return mode == null ? -1 : mode.redirect;
  }

  static void getRedirect(Call call) {
    call.out.integer(redirect(call.node, call.client));
  }

  /** Parses the options after ON or OFF. */
  private static final class Options {
    boolean broadcast;
    boolean in;
    boolean out;
    boolean noLoop;
    long redirect;
    final List<byte[]> prefixes = new ArrayList<>();

    static Options parse(Call call) {
      Options options = new Options();
      for (int i = 3; i < call.count(); i++) {
        switch (call.option(i)) {
          case "REDIRECT" -> options.redirectTo(call, call.next(i++));
          case "PREFIX" -> options.prefixes.add(call.arg(call.next(i++)));
          case "BCAST" -> options.broadcast = true;
          case "OPTIN" -> options.in = true;
          case "OPTOUT" -> options.out = true;
          case "NOLOOP" -> options.noLoop = true;
          default -> throw Errors.syntax();
        }
      }
      return options;
    }

    private void redirectTo(Call call, int at) {
      Errors.refuseIf(redirect != 0, "ERR A client can only redirect to a single other client");
      redirect = call.longArg(at);
      Errors.refuseIf(
          call.node.clients.get(redirect) == null,
          "ERR The client ID you want redirect to does not exist");
    }

    Tracking.Mode.Opt opt() {
      return in ? Tracking.Mode.Opt.IN : out ? Tracking.Mode.Opt.OUT : Tracking.Mode.Opt.ALL;
    }

    void check(Tracking.@Nullable Mode now) {
      Errors.refuseIf(
          !broadcast && !prefixes.isEmpty(), "ERR PREFIX option requires BCAST mode to be enabled");
      Errors.refuseIf(
          now != null && now.broadcast != broadcast,
          "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and"
              + " then re-enabling it with a different mode.");
      Errors.refuseIf(
          broadcast && (in || out), "ERR OPTIN and OPTOUT are not compatible with BCAST");
      Errors.refuseIf(in && out, "ERR You can't specify both OPTIN mode and OPTOUT mode");
      Errors.refuseIf(
          now != null
              && ((in && now.opt == Tracking.Mode.Opt.OUT)
                  || (out && now.opt == Tracking.Mode.Opt.IN)),
          "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and"
              + " then re-enabling it with a different mode.");
      checkPrefixes(now);
    }

    private void checkPrefixes(Tracking.@Nullable Mode now) {
      for (int i = 0; i < prefixes.size(); i++) {
        String prefix = Bytes.text(prefixes.get(i));
        if (now != null) {
          for (byte[] known : now.prefixes) {
            refuseOverlap(prefix, Bytes.text(known), "overlaps with an existing prefix");
          }
        }
        for (byte[] other : prefixes.subList(i + 1, prefixes.size())) {
          refuseOverlap(prefix, Bytes.text(other), "overlaps with another provided prefix");
        }
      }
    }

    private static void refuseOverlap(String prefix, String other, String how) {
      Errors.refuseIf(
          prefix.startsWith(other) || other.startsWith(prefix),
          "ERR Prefix '%s' %s '%s'. Prefixes for a single client must not overlap.",
          prefix,
          how,
          other);
    }
  }

  static void tracking(Call call) {
    Options options = Options.parse(call);
    if (call.either(2, "ON", "OFF")) {
      options.check(mode(call));
      Tracking.Mode mode =
          new Tracking.Mode(options.broadcast, options.opt(), options.noLoop, options.redirect);
      mode.prefixes.addAll(options.prefixes);
      if (options.broadcast && options.prefixes.isEmpty()) {
        mode.prefixes.add(new byte[0]);
      }
      call.node.tracking.enable(call.client, mode);
    } else {
      call.node.tracking.disable(call.client);
    }
    call.out.ok();
  }

  static void caching(Call call) {
    Tracking.Mode mode =
        Errors.found(
            mode(call),
            "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN"
                + " or OPTOUT mode enabled");
    boolean yes = call.either(2, "YES", "NO");
    Errors.refuseIf(
        mode.opt != (yes ? Tracking.Mode.Opt.IN : Tracking.Mode.Opt.OUT),
        "ERR CLIENT CACHING %s is only valid when tracking is enabled in %s mode.",
        yes ? "YES" : "NO",
        yes ? "OPTIN" : "OPTOUT");
    mode.caching = true;
    call.out.ok();
  }

  static void info(Call call) {
    Tracking.Mode mode = mode(call);
    List<String> flags = new ArrayList<>();
    flags.add(mode == null ? "off" : "on");
    if (mode != null) {
      addFlags(flags, mode);
    }
    Reply out = call.out;
    out.map(3);
    out.key("flags").set(flags.size());
    flags.forEach(out::bulk);
    out.key("redirect").integer(redirect(call.node, call.client));
    out.key("prefixes").array(mode == null ? 0 : mode.prefixes.size());
    if (mode != null) {
      mode.prefixes.forEach(out::bulk);
    }
  }

  private static void addFlags(List<String> flags, Tracking.Mode mode) {
    if (mode.broadcast) {
      flags.add("bcast");
    }
    if (mode.opt != Tracking.Mode.Opt.ALL) {
      boolean in = mode.opt == Tracking.Mode.Opt.IN;
      flags.add(in ? "optin" : "optout");
      if (mode.caching) {
        flags.add(in ? "caching-yes" : "caching-no");
      }
    }
    if (mode.noLoop) {
      flags.add("noloop");
    }
    if (mode.redirectBroken) {
      flags.add("broken_redirect");
    }
  }
}
