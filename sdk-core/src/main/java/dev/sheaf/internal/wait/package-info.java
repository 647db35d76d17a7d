/**
 * How threads wait for replies: without a timer for each ({@code Deadlines}), and yielding before
 * they park where that pays ({@code YieldTrials}).
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.wait;

import org.jspecify.annotations.NullMarked;
