// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.internal.command.CommandCompression;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.StoredOutput;
import dev.sheaf.internal.compression.dictionary.DictionaryMeters;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.RedisCommand;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/** The compression that the node connections of a client share. Thread-safe. */
public final class CompressionEngine implements CommandCompression, AutoCloseable {

  private final ValueCodec values;
  private final CompressionMeters meters;
  private final DictionaryService dictionaries;
  private final int offLoopBytes;
  private final DecodeThreads threads;

  /**
   * Creates an engine.
   *
   * @param registry for the meters; null for none
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
    if (!EncodedCommand.isMember(command)) {
      return new DecodingOutput<>(output, shape, this, request, null);
    }
    // EXEC passes each part to the output of its own command.
    command.setOutput(new DecodingOutput<>(output, shape, this, request, command));
    return null;
  }

  /** Returns compression by hand, as this client does it. */
  public ValueCodec values() {
    return values;
  }

  /** Returns the client's dictionaries, which get a server once there is one. */
  public DictionaryService dictionaries() {
    return dictionaries;
  }

  /**
   * Returns whether to decode a value on a decoding thread instead of the event loop.
   *
   * @param header the start of an envelope
   */
  boolean isLarge(byte[] header) {
    return Envelope.originalLength(header, header.length) >= offLoopBytes;
  }

  /**
   * Returns the dictionary that must be fetched before a value can be decoded; 0 for none.
   *
   * @param header the start of an envelope
   */
  int missingDictionary(byte[] header) {
    int id = Envelope.dictionaryId(header, header.length);
    return id != 0 && dictionaries.reads() && dictionaries.known().isToBeFetched(id) ? id : 0;
  }

  void decodeLater(long bytes, Runnable work) {
    threads.run(bytes, work);
  }

  /** Stops the decoding threads once they have finished their work. */
  @Override
  public void close() {
    dictionaries.close();
    threads.close();
  }
}
