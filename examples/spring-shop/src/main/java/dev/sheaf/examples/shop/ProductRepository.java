// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The products in the database. Thread-safe. */
@Repository
class ProductRepository {

  private final JdbcClient database;

  ProductRepository(JdbcClient database) {
    this.database = database;
  }

  int count() {
    return database.sql("select count(*) from product").query(Integer.class).single();
  }

  /** Returns identifiers in order; fewer than requested at the end. */
  List<Long> ids(int offset, int limit) {
    return database
        .sql("select id from product order by id offset ? rows fetch next ? rows only")
        .param(offset)
        .param(limit)
        .query(Long.class)
        .list();
  }

  /** Returns those of the products that exist, with one query. */
  Map<Long, Product> byIds(Collection<Long> ids) {
    Map<Long, Product> products = new HashMap<>();
    if (!ids.isEmpty()) {
      database
          .sql("select id, name, price_cents, description from product where id in (:ids)")
          .param("ids", ids)
          .query(Product.class)
          .list()
          .forEach(product -> products.put(product.id(), product));
    }
    return products;
  }
}
