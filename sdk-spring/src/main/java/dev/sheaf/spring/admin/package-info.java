/**
 * The admin page and the endpoint that shows what is stored under a key, both closed until they are
 * opened. {@link dev.sheaf.spring.admin.SheafValueEndpoint} is the entry point; {@link
 * dev.sheaf.spring.admin.SheafAdminProperties} says what it shows, and to which users.
 */
@NullMarked
package dev.sheaf.spring.admin;

import org.jspecify.annotations.NullMarked;
