// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

/** The application with the starter switched off on a container: the same contract. */
@SpringBootTest(classes = ShopApplication.class, properties = "sheaf.enabled=false")
@Import(ContainerApplicationIT.Containers.class)
class PlainContainerApplicationIT extends ContainerApplicationIT {}
