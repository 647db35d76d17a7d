// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.KeyScanOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.core.KeyScanOptions;
import org.springframework.data.redis.core.ScanCursor;
import org.springframework.data.redis.core.ScanIteration;
import org.springframework.data.redis.core.ScanOptions;

/**
 * A SCAN like Spring's own whose pages the client observes, because the keys of a loop over a page
 * come from there. Spring's commands return a cursor, which hides its pages.
 */
final class SeenScan extends ScanCursor<byte[]> {

  private final LettuceConnection connection;
  private final SharedFace face;

  SeenScan(LettuceConnection connection, SharedFace face, ScanOptions options) {
    super(options);
    this.connection = connection;
    this.face = face;
  }

  @Override
  protected ScanIteration<byte[]> doScan(CursorId from, ScanOptions options) {
    if (connection.isQueueing() || connection.isPipelined()) {
      // As Spring's own, also if that started between two pages.
      throw new InvalidDataAccessApiUsageException(
          "'SCAN' cannot be called in pipeline / transaction mode");
    }
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(from.getCursorId().getBytes(US_ASCII));
    byte[] pattern = options.getBytePattern();
    if (pattern != null) {
      arguments.add("MATCH".getBytes(US_ASCII));
      arguments.add(pattern);
    }
    Long count = options.getCount();
    if (count != null) {
      arguments.add("COUNT".getBytes(US_ASCII));
      arguments.add(count.toString().getBytes(US_ASCII));
    }
    if (options instanceof KeyScanOptions keys && keys.getType() != null) {
      arguments.add("TYPE".getBytes(US_ASCII));
      arguments.add(keys.getType().getBytes(US_ASCII));
    }
    KeyScanCursor<?> page =
        (KeyScanCursor<?>)
            Objects.requireNonNull(
                connection.execute(
                    "SCAN",
                    new KeyScanOutput<>(ByteArrayCodec.INSTANCE),
                    arguments.toArray(new byte[0][])));
    List<byte[]> found = new ArrayList<>();
    page.getKeys().forEach(key -> found.add((byte[]) key));
    face.expect("SCAN", found);
    return new ScanIteration<>(CursorId.of(page.getCursor()), found);
  }

  @Override
  protected void doClose() {
    connection.close();
  }
}
