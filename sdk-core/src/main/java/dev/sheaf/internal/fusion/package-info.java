/**
 * Fusion of reads: {@code RunFuser} sends runs of GETs as MGET and runs of HGETs of one hash as
 * HMGET, without changing the meaning of any of them.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.fusion;

import org.jspecify.annotations.NullMarked;
