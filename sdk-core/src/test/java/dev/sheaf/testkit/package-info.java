/**
 * What tests run on: {@code @ForEachServer} runs one test on every kind of server, {@code
 * RealRedis} and {@code RealRedisCluster} start servers that a test may pause, kill and restart.
 */
@NullMarked
package dev.sheaf.testkit;

import org.jspecify.annotations.NullMarked;
