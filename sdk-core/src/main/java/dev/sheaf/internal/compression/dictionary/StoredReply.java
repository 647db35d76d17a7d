// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import dev.sheaf.internal.command.StoredOutput;
import dev.sheaf.internal.common.ReplyTree;

/** A reply in its stored form, marked so that nothing in it is decompressed. */
final class StoredReply extends ReplyTree implements StoredOutput {}
