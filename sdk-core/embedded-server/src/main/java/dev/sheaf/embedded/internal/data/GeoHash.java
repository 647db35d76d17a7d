// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/**
 * Geographic positions as scores of a sorted set: 26 bits each of longitude and latitude,
 * interleaved. Distances are along great circles, in metres.
 */
public final class GeoHash {
  public static final double MAX_LONGITUDE = 180;
  public static final double MAX_LATITUDE = 85.05112878;

  private static final int STEPS = 26;
  private static final double EARTH_RADIUS = 6372797.560856;
  private static final String ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz";
  private static final int TEXT_LENGTH = 11;

  private GeoHash() {}

  /**
   * A geographic position.
   *
   * @param longitude in degrees
   * @param latitude in degrees
   */
  public record Place(double longitude, double latitude) {
    public boolean isValid() {
      return Math.abs(longitude) <= MAX_LONGITUDE && Math.abs(latitude) <= MAX_LATITUDE;
    }

    public double distanceTo(Place other) {
      double v = Math.sin((radians(other.longitude) - radians(longitude)) / 2);
      if (v == 0) {
        return northDistanceTo(other);
      }
      double u = Math.sin((radians(other.latitude) - radians(latitude)) / 2);
      double a = u * u + Math.cos(radians(latitude)) * Math.cos(radians(other.latitude)) * v * v;
      return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(a));
    }

    /** Returns the distance between two latitudes. */
    public double northDistanceTo(Place other) {
      return EARTH_RADIUS * Math.abs(radians(other.latitude) - radians(latitude));
    }
  }

  private static double radians(double degrees) {
    return degrees * (Math.PI / 180);
  }

  public static long encode(Place place) {
    return encode(place, MAX_LATITUDE);
  }

  private static long encode(Place place, double maxLatitude) {
    long north = step(place.latitude(), maxLatitude);
    long east = step(place.longitude(), MAX_LONGITUDE);
    return spread(north) | spread(east) << 1;
  }

  private static long step(double value, double max) {
    return (long) ((value + max) / (2 * max) * (1L << STEPS)) & 0xffffffffL;
  }

  private static long spread(long value) {
    long spread = 0;
    for (int bit = 0; bit < 32; bit++) {
      spread |= (value >>> bit & 1) << (2 * bit);
    }
    return spread;
  }

  private static long gather(long value) {
    long gathered = 0;
    for (int bit = 0; bit < 32; bit++) {
      gathered |= (value >>> (2 * bit) & 1) << bit;
    }
    return gathered;
  }

  /** Returns the centre of the cell of a score. */
  public static Place decode(long hash) {
    return new Place(middle(gather(hash >>> 1), MAX_LONGITUDE), middle(gather(hash), MAX_LATITUDE));
  }

  private static double middle(long step, double max) {
    double low = -max + step * 1.0 / (1L << STEPS) * (2 * max);
    double high = -max + (step + 1) * 1.0 / (1L << STEPS) * (2 * max);
    return Math.max(-max, Math.min(max, (low + high) / 2));
  }

  /** Returns the usual eleven letters for the position of a score. */
  public static String text(long hash) {
    long bits = encode(decode(hash), 90);
    StringBuilder text = new StringBuilder(TEXT_LENGTH);
    for (int i = 1; i < TEXT_LENGTH; i++) {
      text.append(ALPHABET.charAt((int) (bits >>> (2 * STEPS - 5 * i)) & 31));
    }
    return text.append('0').toString();
  }
}
