/**
 * Users and what each may do: commands, keys and channels. Start at {@link
 * dev.sheaf.embedded.internal.acl.AclUsers}. Confined to the command thread.
 */
@NullMarked
package dev.sheaf.embedded.internal.acl;

import org.jspecify.annotations.NullMarked;
