/**
 * Sheaf in Spring Boot: what applications call. {@link
 * dev.sheaf.spring.autoconfigure.SheafAutoConfiguration} lets the connections that Spring Data
 * Redis hands out batch; {@link dev.sheaf.spring.autoconfigure.SheafProperties} are its switches.
 */
@NullMarked
package dev.sheaf.spring;

import org.jspecify.annotations.NullMarked;
