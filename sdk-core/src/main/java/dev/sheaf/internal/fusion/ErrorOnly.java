// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads a reply of one bulk string, or an array of them, of which nothing counts but an error. */
final class ErrorOnly extends CommandOutput<byte[], byte[], Void> {

  @SuppressWarnings("NullAway") // Values are dropped.
  ErrorOnly() {
    super(ByteArrayCodec.INSTANCE, null);
  }

  @Override
  public void set(@Nullable ByteBuffer bytes) {
    // Nobody waits for it.
  }
}
