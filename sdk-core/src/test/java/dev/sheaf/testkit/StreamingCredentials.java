// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Credentials that are renewed while connections are open, as the tokens of clouds are. */
public final class StreamingCredentials implements RedisCredentialsProvider {

  private final Sinks.Many<RedisCredentials> sink = Sinks.many().replay().latest();
  private volatile RedisCredentials last;

  public StreamingCredentials(RedisCredentials first) {
    this.last = first;
  }

  /** Gives these to connections that are open, and to those that are opened from now on. */
  public void renew(RedisCredentials next) {
    last = next;
    sink.tryEmitNext(next).orThrow();
  }

  @Override
  public Mono<RedisCredentials> resolveCredentials() {
    return Mono.fromSupplier(() -> last);
  }

  @Override
  public boolean supportsStreaming() {
    return true;
  }

  @Override
  public Flux<RedisCredentials> credentials() {
    return sink.asFlux();
  }
}
