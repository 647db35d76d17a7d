// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

/** Marks the output of a command that wants what is stored, not what it stands for. */
public interface StoredOutput {}
