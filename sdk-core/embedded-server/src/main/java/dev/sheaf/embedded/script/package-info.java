/**
 * The seam to the script interpreter, so that the server runs where its native library cannot be
 * loaded. Not meant for users; start at {@link dev.sheaf.embedded.script.ScriptEngine}.
 */
@NullMarked
package dev.sheaf.embedded.script;

import org.jspecify.annotations.NullMarked;
