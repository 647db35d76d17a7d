// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.util.Map;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The properties as an application has them. */
final class BoundProperties {

  private BoundProperties() {}

  /** With the defaults. */
  static SheafAdminProperties bound() {
    return bound(Map.of());
  }

  /**
   * With what is given and the other defaults.
   *
   * @param properties by their names without {@code sheaf.admin}
   */
  static SheafAdminProperties bound(Map<String, ?> properties) {
    MapConfigurationPropertySource source = new MapConfigurationPropertySource();
    properties.forEach((name, value) -> source.put("sheaf.admin." + name, value));
    return new Binder(source).bindOrCreate("sheaf.admin", SheafAdminProperties.class);
  }
}
