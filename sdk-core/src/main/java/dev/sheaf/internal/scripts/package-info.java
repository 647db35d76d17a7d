/**
 * How scripts are loaded, called and scattered: the insides of {@link dev.sheaf.scripts.Scripts}.
 */
@NullMarked
package dev.sheaf.internal.scripts;

import org.jspecify.annotations.NullMarked;
