// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.scripts.Arg;
import dev.sheaf.scripts.Keys;
import dev.sheaf.scripts.LuaScript;

/** Counts visits on the server. */
interface Visits {

  /** Returns zero for an allowed visit, otherwise the milliseconds until one is allowed. */
  @LuaScript("classpath:lua/visit.lua")
  long visit(@Keys String visitor, @Arg long most, @Arg long windowMillis);
}
