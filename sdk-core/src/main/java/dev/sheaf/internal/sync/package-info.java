/**
 * What happens on the thread of a blocking caller, before and after it blocks.
 *
 * <pre>
 * a blocking call
 *   |
 * BlockingCalls                 is the reply there? else send, with what is to be read ahead
 *   |
 *   +-- CallerThread            what is known of the thread: its loops, its calls in a row
 *   |
 *   +-- Loop                    one run of a loop: what it has read, what it reads next
 *   |     GivenLoop             its keys were given by the user: loop(keys)
 *   |     FollowedLoop          its keys were found: learnLoops
 *   |     LoopWindow            keys that are read ahead, their replies, their age
 *   |     LoopPlace             where it stands: how much such loops read, what it was worth
 *   |     Loops, LoopPlaces     all of a connection, all of a client
 *   |     AheadRead             the commands that are read ahead
 *   |
 *   +-- FollowedCalls           finds the loops that nobody declared
 *   |     ListedKeys, ReadList  made of the elements of a reply
 *   |     KeyRow                of numbers, or of the keys of an earlier loop
 *   |     KeySource, KeyForm    where keys come from, and how they are read as text
 *   |
 *   +-- LoopSampler             reports loops that could have read ahead
 *         CallSite, CodeLoops   where a call comes from, and whether a loop is there
 *
 * MapEach, EachThreads          bodies side by side
 * </pre>
 *
 * <p>Declared and learned loops have one mechanism. They differ in where their keys come from, and
 * in what was agreed: a declared loop has larger windows sooner, its replies may be older and
 * outlive a claim of its thread, and nothing stops it.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.sync;

import org.jspecify.annotations.NullMarked;
