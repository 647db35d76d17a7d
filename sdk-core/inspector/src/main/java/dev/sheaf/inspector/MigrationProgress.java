// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

/**
 * How far a migration is. Immutable.
 *
 * @param keys how many keys it has looked at; a key may be met more than once
 * @param changed how many values it has stored anew, or would have in a dry run: strings, values of
 *     hashes, elements of lists
 * @param unchanged how many of these it has left: too small, without gain, as they should be, or
 *     with a time to live of their own
 * @param otherTypes how many keys are of a type without values, or of streams; they are left
 * @param conflicts how many values were written, or elements moved, by others meanwhile; they are
 *     left
 * @param unreadable how many values look compressed and cannot be read; they are left
 * @param bytesBefore the size of the changed values before
 * @param bytesAfter and after
 * @param resumeToken where to go on after an interruption, while the cluster's primaries are the
 *     same
 */
public record MigrationProgress(
    long keys,
    long changed,
    long unchanged,
    long otherTypes,
    long conflicts,
    long unreadable,
    long bytesBefore,
    long bytesAfter,
    String resumeToken) {}
