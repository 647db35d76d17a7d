// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.scripts.Arg;
import dev.sheaf.scripts.Keys;
import dev.sheaf.scripts.LuaScript;

/** Counts visits on the server. */
interface Visits {

  /** Zero for a visit that is allowed, else the milliseconds until one will be. */
  @LuaScript("classpath:lua/visit.lua")
  long visit(@Keys String visitor, @Arg long most, @Arg long windowMillis);
}
