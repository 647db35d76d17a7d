/**
 * What happens on the thread of a blocking caller, before and after it blocks: {@code SyncCommands}
 * sees each call, {@code KeyLoops} reads ahead for loops that say so, {@code LoopSampler} finds
 * those that do not, {@code MapEach} runs bodies side by side.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.sync;

import org.jspecify.annotations.NullMarked;
