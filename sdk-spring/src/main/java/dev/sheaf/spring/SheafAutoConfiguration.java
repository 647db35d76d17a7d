package dev.sheaf.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;

/** Lets the connections that Spring Data Redis hands out batch. */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "sheaf.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SheafProperties.class)
public final class SheafAutoConfiguration {}
