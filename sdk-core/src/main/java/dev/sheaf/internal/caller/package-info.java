/**
 * What happens on the thread of a blocking caller, before and after it blocks: {@code BlockingFace}
 * sees each call, {@code KeyLoops} reads ahead for loops that say so, {@code LoopDetector} finds
 * those that do not, {@code MapEach} runs bodies side by side.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.caller;

import org.jspecify.annotations.NullMarked;
