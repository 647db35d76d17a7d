// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.GeoHash;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** GEOSEARCH and GEORADIUS. They scan all members, which is fast at the sizes of tests. */
final class GeoSearch {
  private record Hit(byte[] member, double score, GeoHash.Place place, double metres) {}

  private final Call call;
  private GeoHash.@Nullable Place center;
  private boolean memberGiven;
  private double radius = -1;
  private double width = -1;
  private double height;
  private double unit = 1;
  private boolean withPlace;
  private boolean withDistance;
  private boolean withHash;
  private int order;
  private long count;
  private boolean any;
  private byte @Nullable [] storeKey;
  private boolean storeDistance;
  private final @Nullable SortedSetValue set;

  private GeoSearch(Call call, int keyAt) {
    this.call = call;
    this.set = call.sortedSet(call.arg(keyAt));
  }

  static void radius(Call call) {
    GeoSearch search = new GeoSearch(call, 1);
    search.center = GeoCommands.place(call, 2);
    search.circle(4);
    search.finish(6, false);
  }

  static void radiusByMember(Call call) {
    GeoSearch search = new GeoSearch(call, 1);
    search.centerOn(call.arg(2));
    search.circle(3);
    search.finish(5, false);
  }

  static void search(Call call) {
    new GeoSearch(call, 1).finish(2, true);
  }

  static void searchStore(Call call) {
    GeoSearch search = new GeoSearch(call, 2);
    search.storeKey = call.arg(1);
    search.finish(3, true);
  }

  private void centerOn(byte[] member) {
    if (set != null) {
      center =
          Errors.found(
              GeoCommands.placeOf(set, member), "ERR could not decode requested zset member");
    }
  }

  private void circle(int at) {
    radius = length(at, "radius");
    Errors.refuseIf(radius < 0, "ERR radius cannot be negative");
    unit = GeoCommands.unit(call.arg(at + 1));
    radius *= unit;
  }

  private double length(int at, String what) {
    return Errors.found(Numbers.parseDouble(call.arg(at)), "ERR need numeric " + what);
  }

  private void box(int at) {
    width = length(at, "width");
    height = length(at + 1, "height");
    Errors.refuseIf(width < 0 || height < 0, "ERR height or width cannot be negative");
    unit = GeoCommands.unit(call.arg(at + 2));
    width *= unit;
    height *= unit;
  }

  private void options(int from, boolean search) {
    String name = call.command.name();
    boolean mayStore = name.equals("georadius") || name.equals("georadiusbymember");
    for (int i = from; i < call.count(); i++) {
      String option = call.option(i);
      switch (option) {
        case "WITHDIST" -> withDistance = true;
        case "WITHHASH" -> withHash = true;
        case "WITHCOORD" -> withPlace = true;
        case "ANY" -> any = true;
        case "ASC" -> order = 1;
        case "DESC" -> order = -1;
        case "COUNT" -> {
          count = call.longArg(call.next(i++));
          Errors.refuseIf(count <= 0, "ERR COUNT must be > 0");
        }
        case "STORE", "STOREDIST" -> {
          storeDistance = option.equals("STOREDIST");
          Errors.syntaxIf(!mayStore && !(search && storeKey != null && storeDistance));
          storeKey = search ? storeKey : call.arg(call.next(i++));
        }
        default -> {
          Errors.syntaxIf(!search);
          i += shape(i, call.count() - i - 1);
        }
      }
    }
    checkStore(search);
    Errors.refuseIf(any && count == 0, "ERR the ANY argument requires COUNT argument");
  }

  private void checkStore(boolean search) {
    Errors.refuseIf(
        storeKey != null && (withDistance || withHash || withPlace),
        "ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
        search ? call.command.name().toUpperCase(Locale.ROOT) : "STORE option in GEORADIUS");
  }

  /** Parses one of FROMMEMBER, FROMLONLAT, BYRADIUS and BYBOX. Returns its number of arguments. */
  private int shape(int at, int rest) {
    boolean hasCenter = center != null || memberGiven;
    boolean hasShape = radius >= 0 || width >= 0;
    if (call.is(at, "FROMMEMBER") && rest >= 1 && !hasCenter) {
      memberGiven = true;
      centerOn(call.arg(at + 1));
      return 1;
    }
    if (call.is(at, "FROMLONLAT") && rest >= 2 && !hasCenter) {
      center = GeoCommands.place(call, at + 1);
      return 2;
    }
    if (call.is(at, "BYRADIUS") && rest >= 2 && !hasShape) {
      circle(at + 1);
      return 2;
    }
    if (call.is(at, "BYBOX") && rest >= 3 && !hasShape) {
      box(at + 1);
      return 3;
    }
    throw Errors.syntax();
  }

  private void requireShape() {
    String name = call.text(0);
    if (center == null && !memberGiven) {
      throw Errors.of("ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for " + name);
    }
    if (radius < 0 && width < 0) {
      throw Errors.of("ERR exactly one of BYRADIUS and BYBOX can be specified for " + name);
    }
  }

  private List<Hit> hits() {
    List<Hit> hits = new ArrayList<>();
    GeoHash.Place from = center;
    if (set == null || from == null) {
      return hits;
    }
    for (ScoredMembers.Node n = set.order.first(); n != null; n = n.next()) {
      GeoHash.Place place = GeoHash.decode((long) n.score());
      double metres = from.distanceTo(place);
      if (radius >= 0 ? metres <= radius : isInBox(from, place)) {
        hits.add(new Hit(n.member, n.score(), place, metres));
        if (any && hits.size() == count) {
          break;
        }
      }
    }
    int direction = order == 0 && count > 0 && !any ? 1 : order;
    if (direction != 0) {
      Comparator<Hit> byDistance = Comparator.comparingDouble(Hit::metres);
      hits.sort(direction > 0 ? byDistance : byDistance.reversed());
    }
    return count > 0 && hits.size() > count ? hits.subList(0, (int) count) : hits;
  }

  private boolean isInBox(GeoHash.Place from, GeoHash.Place place) {
    GeoHash.Place sameLatitude = new GeoHash.Place(from.longitude(), place.latitude());
    return place.northDistanceTo(from) <= height / 2 && place.distanceTo(sameLatitude) <= width / 2;
  }

  private void finish(int optionsAt, boolean search) {
    options(optionsAt, search);
    if (search) {
      requireShape();
    }
    List<Hit> hits = hits();
    if (storeKey != null) {
      store(storeKey, hits);
      return;
    }
    int extras = (withDistance ? 1 : 0) + (withHash ? 1 : 0) + (withPlace ? 1 : 0);
    call.out.array(hits.size());
    for (Hit hit : hits) {
      if (extras > 0) {
        call.out.array(1 + extras);
      }
      call.out.bulk(hit.member());
      if (withDistance) {
        call.out.bulk(GeoCommands.distanceText(hit.metres() / unit));
      }
      if (withHash) {
        call.out.integer((long) hit.score());
      }
      if (withPlace) {
        GeoCommands.writePlace(call, hit.place());
      }
    }
  }

  private void store(byte[] key, List<Hit> hits) {
    SortedSetValue result = new SortedSetValue();
    hits.forEach(
        hit -> result.put(hit.member(), storeDistance ? hit.metres() / unit : hit.score()));
    call.storeOrDelete(key, result, hits.size());
  }
}
