// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import org.springframework.data.annotation.Id;
import org.springframework.data.redis.core.RedisHash;

/** Something to keep in a repository. */
@RedisHash("items")
public record Item(@Id String id, String name, int stock) {}
