// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** An output that ignores bulk strings and arrays of them, and keeps only an error. */
final class ErrorOnly extends CommandOutput<byte[], byte[], Void> {

  @SuppressWarnings("NullAway") // Values are dropped.
  ErrorOnly() {
    super(ByteArrayCodec.INSTANCE, null);
  }

  @Override
  public void set(@Nullable ByteBuffer bytes) {
    // The value is not needed.
  }
}
