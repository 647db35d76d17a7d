// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.internal.command.CommandCompression;
import dev.sheaf.internal.command.StoredOutput;
import dev.sheaf.internal.compression.dictionary.DictionaryMeters;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.TransactionalCommand;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/** What the node connections of one client share to compress. Thread-safe. */
public final class CompressionEngine implements CommandCompression, AutoCloseable {

  private final ValueCodec values;
  private final CompressionMeters meters;
  private final DictionaryService dictionaries;
  private final int offLoopBytes;
  private final DecodeThreads threads;

  /**
   * Creates an engine.
   *
   * @param registry where to report, or null for nowhere
   * @param client the client's name in its meters
   */
  public CompressionEngine(
      CompressionOptions options, @Nullable MeterRegistry registry, String client) {
    this.meters = new CompressionMeters(registry, client);
    this.dictionaries = new DictionaryService(options, new DictionaryMeters(registry, client));
    this.values = new ValueCodec(options, dictionaries, meters);
    this.offLoopBytes = options.offLoopBytes();
    this.threads = new DecodeThreads(options.decodeThreads());
  }

  @Override
  public byte[] request(RedisCommand<?, ?, ?> command, byte[] request) {
    CommandRule rule = CommandRule.of(command.getType());
    if (rule.leavesRequests() || command.getOutput() instanceof StoredOutput) {
      return request;
    }
    try {
      return RequestRewriter.rewrite(rule, request, values.encoder());
    } catch (CompressionRefusedException e) {
      meters.refused();
      throw e;
    }
  }

  @Override
  public <K, V, T> @Nullable DecodingOutput<K, V, T> reply(
      RedisCommand<K, V, T> command, byte[] request) {
    CommandRule rule = CommandRule.of(command.getType());
    CommandOutput<K, V, T> output = command.getOutput();
    if (rule.reply() == ReplyShape.NONE
        || output == null
        || output instanceof StoredOutput
        || output instanceof DecodingOutput) {
      return null;
    }
    ReplyShape shape = rule.replyTo(request);
    if (shape == ReplyShape.NONE) {
      return null;
    }
    if (CommandWrapper.unwrap(command, TransactionalCommand.class) == null) {
      return new DecodingOutput<>(output, shape, this, request, null);
    }
    // EXEC hands its parts to the outputs of the commands themselves.
    command.setOutput(new DecodingOutput<>(output, shape, this, request, command));
    return null;
  }

  /** Compresses and restores values by hand, as this client does. */
  public ValueCodec values() {
    return values;
  }

  /** The dictionaries of this client, to which a server is attached once there is one. */
  public DictionaryService dictionaries() {
    return dictionaries;
  }

  /**
   * Whether to decode this beside the event loop, where others wait.
   *
   * @param header the beginning of an envelope
   */
  boolean isLarge(byte[] header) {
    return Envelope.originalLength(header, header.length) >= offLoopBytes;
  }

  /**
   * The dictionary that has to be fetched before this can be decoded; 0 if there is none.
   *
   * @param header the beginning of an envelope
   */
  int missingDictionary(byte[] header) {
    int id = Envelope.dictionaryId(header, header.length);
    return id != 0 && dictionaries.reads() && dictionaries.known().isToBeFetched(id) ? id : 0;
  }

  void decodeLater(long bytes, Runnable work) {
    threads.run(bytes, work);
  }

  /** Ends the threads once they have decoded what waits. */
  @Override
  public void close() {
    dictionaries.close();
    threads.close();
  }
}
