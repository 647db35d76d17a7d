// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import org.springframework.boot.test.context.SpringBootTest;

/** The application with the starter switched off on a redis-server: the same contract. */
@SpringBootTest(classes = ShopApplication.class, properties = "sheaf.enabled=false")
class PlainRealServerApplicationIT extends RealServerApplicationIT {}
