/**
 * Reads that travel as one: runs of GETs as MGET, runs of HGETs of one hash as HMGET. {@code
 * RunFuser} makes them; the meaning of each read is kept.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.fusion;

import org.jspecify.annotations.NullMarked;
