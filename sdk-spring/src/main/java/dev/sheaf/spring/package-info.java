/**
 * Sheaf in Spring Boot. {@link dev.sheaf.spring.SheafAutoConfiguration} lets the connections that
 * Spring Data Redis hands out batch; {@link dev.sheaf.spring.SheafProperties} are its switches.
 */
@NullMarked
package dev.sheaf.spring;

import org.jspecify.annotations.NullMarked;
