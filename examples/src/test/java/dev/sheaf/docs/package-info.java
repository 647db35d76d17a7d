/** Holds the documentation to the code; {@code Pages} reads it. */
package dev.sheaf.docs;
