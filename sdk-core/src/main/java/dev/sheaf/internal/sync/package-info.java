/**
 * What happens on the thread of a blocking caller, before and after it blocks.
 *
 * <pre>
 * a blocking call
 *   |
 * SyncCommands            Lettuce's commands as the caller sees them
 *   |
 * BlockingCalls           1. is the value there?   2. send and wait   3. was it one of a loop?
 *   |                                                                       |
 *   |                        CallerThread: what is known of the thread      |
 *   +-- declared: loop(keys)                                                +-- found: the detector
 *   |     KeyLoop, OpenLoop     one run of it      \                        |     LoopSampler, LoopSite
 *   |     KeyLoops, LoopHabits  all of a client     \                       |     CallRuns    calls in a row
 *   |                                                LoopWindow             |     CallSite    where from
 *   +-- learned: learnLoops                         /  keys, replies, age   |     CodeLoops   in a loop?
 *         FollowedCalls         one thread         /
 *           ReadList, KeySource where keys come from
 *           FollowedLoop, LearnedWindow  one run of a loop
 *         LearnedLoops          one connection
 *         LearnedPlaces, LearnedPlace    one client: what was learned, by CallSite
 *         SeenCall, AheadRead, KeyForm   what a command and a key mean to it
 *
 * MapEach, EachThreads    bodies side by side
 * </pre>
 *
 * <p>Declared and learned loops share the window, which asks {@code WriteClock} what this client
 * has written since. The detector and the learned loops share the place in the code.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.sync;

import org.jspecify.annotations.NullMarked;
