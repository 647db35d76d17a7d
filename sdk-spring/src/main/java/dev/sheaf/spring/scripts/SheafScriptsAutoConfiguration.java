// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.scripts;

import dev.sheaf.Sheaf;
import dev.sheaf.spring.autoconfigure.SheafAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Import;

/** Registers beans of the application's script interfaces. */
@AutoConfiguration(after = SheafAutoConfiguration.class)
@ConditionalOnBean(Sheaf.class)
@ConditionalOnBooleanProperty(name = "sheaf.scripts.scan", matchIfMissing = true)
@Import(ScriptInterfaces.class)
public final class SheafScriptsAutoConfiguration {}
