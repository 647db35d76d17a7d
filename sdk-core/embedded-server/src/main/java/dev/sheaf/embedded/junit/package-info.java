/**
 * The server in JUnit tests; start with {@link dev.sheaf.embedded.junit.EmbeddedRedis}. Needs
 * junit-jupiter-api on the class path, which this module does not bring.
 */
@NullMarked
package dev.sheaf.embedded.junit;

import org.jspecify.annotations.NullMarked;
