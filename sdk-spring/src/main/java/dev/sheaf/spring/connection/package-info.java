/** Connections of Spring Data Redis that batch. */
@NullMarked
package dev.sheaf.spring.connection;

import org.jspecify.annotations.NullMarked;
