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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one kind of {@link Scripts}. */
public final class ScriptRegistry<K, V> implements Scripts<K, V> {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.scripts");

  /** A call of KEYS that no comment hides. */
  private static final Pattern CALL_OF_KEYS =
      Pattern.compile(
          "^(?:(?!--).)*\\b(?:redis|server)\\.p?call\\s*\\(\\s*(['\"])keys\\1",
          Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

  private final ScriptHost<K, V> host;
  private final ScriptParts<K, V> parts;

  /** Creates the scripts of a client. */
  public ScriptRegistry(ScriptHost<K, V> host) {
    this.host = host;
    this.parts = ScriptParts.of(host);
  }

  @Override
  public <T extends @Nullable Object> RegisteredScript<K, T> register(Script<T> script) {
    RegisteredScript<K, T> registered =
        CallableScript.loaded(parts, Objects.requireNonNull(script, "script"));
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
