// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.compression.ValueCompression;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.Script;
import dev.sheaf.scripts.Scripts;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The one kind of {@link Scripts}. */
public final class ScriptRegistry<K, V> implements Scripts<K, V> {

  private final ScriptHost<K, V> host;
  private final ScriptParts<K, V> parts;

  /** Creates the scripts of a client. */
  public ScriptRegistry(ScriptHost<K, V> host) {
    this.host = host;
    this.parts = ScriptParts.of(host);
  }

  @Override
  public <T extends @Nullable Object> RegisteredScript<K, T> register(Script<T> script) {
    return CallableScript.loaded(parts, Objects.requireNonNull(script, "script"));
  }

  @Override
  public <I> I bind(Class<I> type) {
    return ScriptProxy.of(Objects.requireNonNull(type, "type"), keyType(), this);
  }

  /** Java forgets the client's type of keys; of the usual codecs it is known. */
  private @Nullable Class<?> keyType() {
    if (host.codec() instanceof StringCodec) {
      return String.class;
    }
    return host.codec() instanceof ByteArrayCodec ? byte[].class : null;
  }

  @Override
  public byte[] encoded(V value) {
    byte[] bytes = bytes(value);
    ValueCompression compression = host.compression();
    return compression == null ? bytes : compression.uncompressed(bytes);
  }

  @Override
  public byte[] encoded(K key, V value) {
    byte[] keyBytes = keyBytes(key);
    byte[] bytes = bytes(value);
    ValueCompression compression = host.compression();
    return compression == null ? bytes : compression.compress(keyBytes, bytes);
  }

  @Override
  public byte[] encodedToCompare(K key, V value) {
    byte[] keyBytes = keyBytes(key);
    byte[] bytes = bytes(value);
    ValueCompression compression = host.compression();
    return compression == null ? bytes : compression.comparable(keyBytes, bytes);
  }

  private byte[] keyBytes(K key) {
    return EncodedKeys.bytes(host.codec().encodeKey(Objects.requireNonNull(key, "key")));
  }

  private byte[] bytes(V value) {
    return EncodedKeys.bytes(host.codec().encodeValue(Objects.requireNonNull(value, "value")));
  }

  @Override
  public V decoded(byte[] bytes) {
    ValueCompression compression = host.compression();
    return host.codec()
        .decodeValue(ByteBuffer.wrap(compression == null ? bytes : compression.decompress(bytes)));
  }
}
