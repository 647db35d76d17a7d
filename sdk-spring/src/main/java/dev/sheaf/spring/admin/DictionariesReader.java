// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.Sheaf;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.springframework.beans.factory.ObjectProvider;

/** Lists the dictionaries that Redis stores. Thread-safe. */
final class DictionariesReader implements AutoCloseable {

  private final ObjectProvider<? extends Sheaf<?, ?>> clients;
  private final Duration timeout;
  private final BoundedCalls calls = new BoundedCalls("sheaf-admin-dictionaries", 1);

  DictionariesReader(ObjectProvider<? extends Sheaf<?, ?>> clients, Duration timeout) {
    this.clients = clients;
    this.timeout = timeout;
  }

  /** Returns the dictionaries, or why they are unknown. Blocks at most the time-out. */
  DictionaryList read() {
    Sheaf<?, ?> sheaf = clients.getIfUnique();
    if (sheaf == null) {
      return DictionaryList.unknown("There is no Sheaf client, or none that is primary.");
    }
    try {
      return calls.call(() -> DictionaryList.of(sheaf.dictionaries().list()), timeout);
    } catch (RejectedExecutionException e) {
      return DictionaryList.unknown(
          "Too many ask for dictionaries: " + BoundedCalls.MAX_WAITING + " wait.");
    } catch (TimeoutException e) {
      return DictionaryList.unknown(
          "Redis did not answer within sheaf.admin.timeout=" + timeout.toMillis() + "ms.");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return DictionaryList.unknown("The request was interrupted.");
    } catch (ExecutionException e) {
      // Only the type is named: a message could contain parts of a dictionary, and so of values.
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return DictionaryList.unknown(
          cause instanceof IllegalStateException
              ? "This client does not compress, so it knows of no dictionaries:"
                  + " sheaf.compression.mode is off."
              : "Dictionaries could not be listed: " + cause.getClass().getSimpleName() + ".");
    }
  }

  @Override
  public void close() {
    calls.close();
  }
}
