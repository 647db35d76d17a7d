// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import org.springframework.data.repository.CrudRepository;

/** Items by their identifier. */
public interface ItemRepository extends CrudRepository<Item, String> {}
