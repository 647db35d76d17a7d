/**
 * Users and what each may do: commands, keys and channels. Not meant for users of the server; start
 * at {@link dev.sheaf.embedded.acl.AclUsers}. Confined to the command thread.
 */
@NullMarked
package dev.sheaf.embedded.acl;

import org.jspecify.annotations.NullMarked;
