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

/** GEOSEARCH and GEORADIUS: every member is looked at, which is quick at the sizes of tests. */
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
  private @Nullable SortedSetValue set;

  private GeoSearch(Call call) {
    this.call = call;
  }

  static void radius(Call call) {
    GeoSearch search = new GeoSearch(call);
    SortedSetValue set = call.sortedSet(call.arg(1));
    search.center = GeoCommands.place(call, 2);
    search.circle(4);
    search.options(6, false);
    search.finish(set);
  }

  static void radiusByMember(Call call) {
    GeoSearch search = new GeoSearch(call);
    SortedSetValue set = call.sortedSet(call.arg(1));
    if (set != null) {
      search.centerOn(set, call.arg(2));
    }
    search.circle(3);
    search.options(5, false);
    search.finish(set);
  }

  static void search(Call call) {
    GeoSearch search = new GeoSearch(call);
    SortedSetValue set = call.sortedSet(call.arg(1));
    search.set = set;
    search.options(2, true);
    search.requireShape();
    search.finish(set);
  }

  static void searchStore(Call call) {
    GeoSearch search = new GeoSearch(call);
    SortedSetValue set = call.sortedSet(call.arg(2));
    search.set = set;
    search.storeKey = call.arg(1);
    search.options(3, true);
    search.requireShape();
    search.finish(set);
  }

  private void centerOn(SortedSetValue in, byte[] member) {
    center = GeoCommands.placeOf(in, member);
    if (center == null) {
      throw Errors.of("ERR could not decode requested zset member");
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
      int rest = call.count() - i - 1;
      if (call.is(i, "WITHDIST")) {
        withDistance = true;
      } else if (call.is(i, "WITHHASH")) {
        withHash = true;
      } else if (call.is(i, "WITHCOORD")) {
        withPlace = true;
      } else if (call.is(i, "ANY")) {
        any = true;
      } else if (call.is(i, "ASC")) {
        order = 1;
      } else if (call.is(i, "DESC")) {
        order = -1;
      } else if (call.is(i, "COUNT") && rest >= 1) {
        count = call.longArg(++i);
        Errors.refuseIf(count <= 0, "ERR COUNT must be > 0");
      } else if (mayStore && rest >= 1 && (call.is(i, "STORE") || call.is(i, "STOREDIST"))) {
        storeDistance = call.is(i, "STOREDIST");
        storeKey = call.arg(++i);
      } else if (search && storeKey != null && call.is(i, "STOREDIST")) {
        storeDistance = true;
      } else if (search) {
        i += shape(i, rest);
      } else {
        throw Errors.syntax();
      }
    }
    checkStore(search);
    Errors.refuseIf(any && count == 0, "ERR the ANY argument requires COUNT argument");
  }

  private void checkStore(boolean search) {
    if (storeKey != null && (withDistance || withHash || withPlace)) {
      throw Errors.of(
          "ERR "
              + (search
                  ? call.command.name().toUpperCase(Locale.ROOT)
                  : "STORE option in GEORADIUS")
              + " is not compatible with WITHDIST, WITHHASH and WITHCOORD options");
    }
  }

  /** One of FROMMEMBER, FROMLONLAT, BYRADIUS and BYBOX; returns how many arguments it has. */
  private int shape(int at, int rest) {
    boolean hasCenter = center != null || memberGiven;
    boolean hasShape = radius >= 0 || width >= 0;
    if (call.is(at, "FROMMEMBER") && rest >= 1 && !hasCenter) {
      memberGiven = true;
      if (set != null) {
        centerOn(set, call.arg(at + 1));
      }
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

  private List<Hit> hits(@Nullable SortedSetValue in) {
    List<Hit> hits = new ArrayList<>();
    GeoHash.Place from = center;
    if (in == null || from == null) {
      return hits;
    }
    for (ScoredMembers.Node n = in.order.first(); n != null; n = n.next()) {
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

  private void finish(@Nullable SortedSetValue in) {
    List<Hit> hits = hits(in);
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
    if (hits.isEmpty()) {
      call.delete(key);
    } else {
      SortedSetValue result = new SortedSetValue();
      hits.forEach(
          hit -> result.put(hit.member(), storeDistance ? hit.metres() / unit : hit.score()));
      call.store(key, result);
    }
    call.out.integer(hits.size());
  }
}
