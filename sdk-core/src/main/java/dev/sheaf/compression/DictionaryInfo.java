// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Describes a stored dictionary without its content, which has parts of values. Immutable.
 *
 * @param id a digest of the content, in eight hexadecimal digits
 * @param prefix the prefix of its keys; empty for all keys
 * @param bytes its size
 * @param samples the number of values it was trained on
 * @param ratio stored size by original size of the values it was tested with, such as 0.2
 * @param trainedAt when it was trained
 * @param lastUsed when a client with a lease last reported that it uses it; null if none has
 * @param isCurrent whether clients compress with it now
 */
public record DictionaryInfo(
    String id,
    String prefix,
    int bytes,
    int samples,
    double ratio,
    Instant trainedAt,
    @Nullable Instant lastUsed,
    boolean isCurrent) {}
