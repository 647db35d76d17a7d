// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import org.springframework.boot.test.context.SpringBootTest;

/** The application with the starter on an embedded cluster. */
@SpringBootTest(classes = ShopApplication.class, properties = "sheaf.embedded.masters=3")
class ClusterApplicationTest extends ApplicationContract {}
