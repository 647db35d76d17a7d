// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

/**
 * How far a scatter has come.
 *
 * @param keysDone keys whose slices have ended, well or not
 * @param slicesDone slices that have ended
 * @param slicesFailed those of them that failed
 */
public record ScatterProgress(long keysDone, long slicesDone, long slicesFailed) {}
