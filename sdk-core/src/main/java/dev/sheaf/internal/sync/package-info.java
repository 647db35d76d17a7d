/**
 * What happens on the thread of a blocking caller, before and after it blocks.
 *
 * <pre>
 * a blocking call
 *   |
 * SyncCommands              Lettuce's commands as the caller sees them
 *   |
 * BlockingCalls             is the value there? else send and wait; was it one of a loop?
 *   |                       CallerThread: what is known of the thread
 *   |
 *   +-- declared: loop(keys)
 *   |     KeyLoop, OpenLoop          one run of a loop       ---+
 *   |     KeyLoops, LoopHabits       all of a client            |
 *   |                                                           +--- LoopWindow
 *   +-- learned: learnLoops                                     |    keys, replies, their age
 *   |     FollowedCalls              one thread                 |
 *   |     ListedKeys, KeyRow         what its loops begin with  |
 *   |     ReadList, KeySource        where its keys come from   |
 *   |     FollowedLoop               one run of a loop          |
 *   |     LearnedWindow              what it reads ahead     ---+
 *   |     LearnedLoops, KeyLists     one connection
 *   |     LearnedPlaces, -Place      one client: what was learned  ---+
 *   |     SeenCall, AheadRead,       what commands and keys mean      |
 *   |     AskedRead, KeyForm                                          +--- CallSite, PerSecond
 *   |                                                                 |    where a call comes from,
 *   |                                                                 |    and how often one looks
 *   +-- found: the detector                                           |
 *         CallRuns                   one thread: calls in a row       |
 *         LoopSampler, LoopSite      one client: what was found    ---+
 *         CodeLoops                  whether a call stands in a loop
 *
 * MapEach, EachThreads       bodies side by side
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
