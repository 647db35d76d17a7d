// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.Script;
import dev.sheaf.scripts.Scripts;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The implementation of {@link Scripts}. */
public final class ScriptRegistry<K, V> implements Scripts<K, V> {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.scripts");

  /** Matches a call of KEYS outside comments. */
  private static final Pattern CALL_OF_KEYS =
      Pattern.compile(
          "^(?:(?!--).)*\\b(?:redis|server)\\.p?call\\s*\\(\\s*(['\"])keys\\1",
          Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

  private final RedisCodec<K, V> codec;
  private final @Nullable CompressionEngine compression;
  private final ScriptParts<K> parts;

  /**
   * Creates the script registry of a client.
   *
   * @param registry for the meters; null if nobody measures
   * @param name the client's name in its meters
   */
  public ScriptRegistry(
      StatefulConnection<K, V> connection,
      RedisCodec<K, V> codec,
      ClientContext context,
      @Nullable MeterRegistry registry,
      String name) {
    this.codec = codec;
    this.compression = context.compression();
    Nodes<K, V> nodes = new Nodes<>(connection);
    ScriptLoader loader = new ScriptLoader(nodes, context.commandTimeout());
    context.scriptTexts().comeFrom(loader::forNewSocket);
    this.parts =
        new ScriptParts<>(
            codec, context.commandTimeout(), nodes, new ScriptMeters(registry, name), loader);
  }

  @Override
  public <T extends @Nullable Object> RegisteredScript<K, T> register(Script<T> script) {
    RegisteredScript<K, T> registered =
        new CallableScript<>(parts, Objects.requireNonNull(script, "script"));
    if (CALL_OF_KEYS.matcher(script.text()).find()) {
      LOG.warn(
          "The script {} ({}) calls KEYS, which makes all clients wait while the server looks at"
              + " every key; pass the keys to it (scatter takes any number of them), or keep their"
              + " names in a set",
          script.name(),
          script.source());
    }
    return registered;
  }

  @Override
  public <I> I bind(Class<I> type) {
    return ScriptProxy.of(Objects.requireNonNull(type, "type"), keyType(), this);
  }

  /** Type erasure hides the client's type of keys. For the usual codecs it is known. */
  private @Nullable Class<?> keyType() {
    if (codec instanceof StringCodec) {
      return String.class;
    }
    return codec instanceof ByteArrayCodec ? byte[].class : null;
  }

  @Override
  public byte[] encoded(V value) {
    byte[] bytes = bytes(value);
    return compression == null ? bytes : compression.values().uncompressed(bytes);
  }

  @Override
  public byte[] encoded(K key, V value) {
    byte[] keyBytes = keyBytes(key);
    byte[] bytes = bytes(value);
    return compression == null ? bytes : compression.values().compress(keyBytes, bytes);
  }

  @Override
  public byte[] encodedToCompare(K key, V value) {
    byte[] keyBytes = keyBytes(key);
    byte[] bytes = bytes(value);
    return compression == null ? bytes : compression.values().comparable(keyBytes, bytes);
  }

  private byte[] keyBytes(K key) {
    return EncodedKey.bytes(codec.encodeKey(Objects.requireNonNull(key, "key")));
  }

  private byte[] bytes(V value) {
    return EncodedKey.bytes(codec.encodeValue(Objects.requireNonNull(value, "value")));
  }

  @Override
  public V decoded(byte[] bytes) {
    byte[] plain = compression == null ? bytes : compression.values().decompress(bytes);
    return codec.decodeValue(ByteBuffer.wrap(plain));
  }
}
