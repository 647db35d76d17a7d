// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.GeoHash;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** GEOADD and the other geospatial commands. */
final class GeoCommands {
  static void register(Handlers handlers) {
    handlers
        .add("geoadd", GeoCommands::add)
        .add("geodist", GeoCommands::distance)
        .add("geohash", GeoCommands::hash)
        .add("geopos", GeoCommands::position)
        .add("georadius", GeoSearch::radius)
        .add("georadius_ro", GeoSearch::radius)
        .add("georadiusbymember", GeoSearch::radiusByMember)
        .add("georadiusbymember_ro", GeoSearch::radiusByMember)
        .add("geosearch", GeoSearch::search)
        .add("geosearchstore", GeoSearch::searchStore);
  }

  /** Parses a longitude and a latitude, in this order. */
  static GeoHash.Place place(Call call, int at) {
    GeoHash.Place place = new GeoHash.Place(call.doubleArg(at), call.doubleArg(at + 1));
    if (!place.isValid()) {
      throw Errors.of(
          String.format(
              Locale.ROOT,
              "ERR invalid longitude,latitude pair %f,%f",
              place.longitude(),
              place.latitude()));
    }
    return place;
  }

  private static void add(Call call) {
    Set<String> options = new HashSet<>();
    int at = 2;
    for (; at < call.count() && Set.of("NX", "XX", "CH").contains(call.option(at)); at++) {
      options.add(call.option(at));
    }
    boolean nx = options.contains("NX");
    boolean xx = options.contains("XX");
    int places = (call.count() - at) / 3;
    Errors.syntaxIf((call.count() - at) % 3 != 0 || (nx && xx));
    long[] hashes = new long[places];
    for (int i = 0; i < places; i++) {
      hashes[i] = GeoHash.encode(place(call, at + 3 * i));
    }
    SortedSetValue known = call.sortedSet(call.arg(1));
    SortedSetValue set = known == null ? new SortedSetValue() : known;
    int added = 0;
    int changed = 0;
    for (int i = 0; i < places; i++) {
      byte[] member = call.arg(at + 3 * i + 2);
      ScoredMembers.Node there = set.find(member);
      if (there == null ? xx : nx) {
        continue;
      }
      if (there == null) {
        added++;
      } else if (there.score() != hashes[i]) {
        changed++;
      }
      set.put(member, (double) hashes[i]);
    }
    if (known == null && set.size() > 0) {
      call.db().put(call.arg(1), set);
    }
    if (added + changed > 0) {
      call.changed(call.arg(1));
    }
    call.out.integer(options.contains("CH") ? added + changed : added);
  }

  /** Returns the metres of a unit. */
  static double unit(byte[] arg) {
    return switch (Bytes.lower(arg)) {
      case "m" -> 1;
      case "km" -> 1000;
      case "ft" -> 0.3048;
      case "mi" -> 1609.34;
      default -> throw Errors.of("ERR unsupported unit provided. please use M, KM, FT, MI");
    };
  }

  static GeoHash.@Nullable Place placeOf(SortedSetValue set, byte[] member) {
    ScoredMembers.Node node = set.find(member);
    return node == null ? null : GeoHash.decode((long) node.score());
  }

  private static void distance(Call call) {
    Errors.syntaxIf(call.count() > 5);
    double unit = call.count() == 5 ? unit(call.arg(4)) : 1;
    SortedSetValue set = call.sortedSetOrEmpty(call.arg(1));
    GeoHash.Place from = placeOf(set, call.arg(2));
    GeoHash.Place to = placeOf(set, call.arg(3));
    if (from == null || to == null) {
      call.out.nil();
    } else {
      call.out.bulk(distanceText(from.distanceTo(to) / unit));
    }
  }

  static String distanceText(double distance) {
    return new BigDecimal(distance).setScale(4, java.math.RoundingMode.HALF_EVEN).toPlainString();
  }

  private static void writeDegrees(Call call, double degrees) {
    if (call.node.edition().has("8.0.0")) {
      call.out.number(degrees);
    } else {
      call.out.decimal(Numbers.formatExtended(new BigDecimal(degrees)));
    }
  }

  private static void hash(Call call) {
    SortedSetValue set = call.sortedSetOrEmpty(call.arg(1));
    call.out.each(
        call.from(2),
        member ->
            call.out.orNil(
                set.find(member), node -> call.out.bulk(GeoHash.text((long) node.score()))));
  }

  private static void position(Call call) {
    SortedSetValue set = call.sortedSetOrEmpty(call.arg(1));
    call.out.array(call.count() - 2);
    for (int i = 2; i < call.count(); i++) {
      GeoHash.Place place = placeOf(set, call.arg(i));
      if (place == null) {
        call.out.nilArray();
      } else {
        writePlace(call, place);
      }
    }
  }

  static void writePlace(Call call, GeoHash.Place place) {
    call.out.array(2);
    writeDegrees(call, place.longitude());
    writeDegrees(call, place.latitude());
  }
}
