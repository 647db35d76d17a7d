// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import dev.sheaf.scripts.Arg;
import dev.sheaf.scripts.Keys;
import dev.sheaf.scripts.LuaScript;
import java.util.List;

/** Scripts of the application. */
interface Counter {

  @LuaScript("classpath:lua/add.lua")
  long add(@Keys List<String> counters, @Arg long amount);
}
