// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one stored dictionary; never its content, which has pieces of values. Immutable.
 *
 * @param id eight hexadecimal digits; a digest of the content
 * @param prefix how the keys begin that it is for; empty for all keys
 * @param bytes its size
 * @param samples how many values it was trained on
 * @param ratio how much was stored of the values that it was judged by, such as 0.2
 * @param trainedAt when it was trained
 * @param lastUsed when a client with a lease last said that it used it; null if none did
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
