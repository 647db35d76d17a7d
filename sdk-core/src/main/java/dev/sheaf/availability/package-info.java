/**
 * Whether Redis can be used right now, known without asking each time; start with {@code
 * Sheaf.availability()}. {@link dev.sheaf.availability.Watch}, {@link
 * dev.sheaf.availability.NodeWatch}, {@link dev.sheaf.availability.WatchSettings}, {@link
 * dev.sheaf.availability.NodeSource} and {@link dev.sheaf.availability.SignsOfLife} are for the
 * client itself, which connects them.
 */
@NullMarked
package dev.sheaf.availability;

import org.jspecify.annotations.NullMarked;
