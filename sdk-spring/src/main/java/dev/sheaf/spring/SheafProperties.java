package dev.sheaf.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;

/** The properties of the starter. */
@ConfigurationProperties("sheaf")
public class SheafProperties {

  /** Whether to let the connections to Redis batch. */
  private boolean enabled = true;

  public boolean isEnabled() {
    return enabled;
  }

  public void setEnabled(boolean enabled) {
    this.enabled = enabled;
  }
}
