// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

/**
 * The progress of a migration. Immutable.
 *
 * @param keys the number of processed keys; a key can be counted more than once
 * @param changed the number of values it has stored again, or would have in a dry run: strings,
 *     values of hashes, elements of lists
 * @param unchanged the number of these that it has skipped: too small, without gain, already in the
 *     right form, or with a time to live of their own
 * @param otherTypes the number of keys of types without values, or of streams; they are skipped
 * @param conflicts the number of values that others have written, or elements that they have moved,
 *     meanwhile; they are skipped
 * @param unreadable the number of values that look compressed and cannot be decoded; they are
 *     skipped
 * @param bytesBefore the size of the changed values before
 * @param bytesAfter the size of the changed values after
 * @param resumeToken where to continue after an interruption, as long as the cluster's primaries
 *     are the same
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
