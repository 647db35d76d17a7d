/** Spring's caches on a Redis that may be slow or lost, and of many keys at once. */
@NullMarked
package dev.sheaf.spring.cache;

import org.jspecify.annotations.NullMarked;
