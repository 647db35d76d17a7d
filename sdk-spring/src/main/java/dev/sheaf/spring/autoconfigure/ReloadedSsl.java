// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import java.security.KeyStore;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.KeyManagerFactorySpi;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.TrustManagerFactorySpi;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.core.Ordered;

/**
 * Uses the keys and authorities of the SSL bundle that {@code spring.data.redis.ssl.bundle} names
 * as they are when a connection is opened. Otherwise they would stay as they were at the start.
 * Applied before the application's customizers, which take precedence.
 */
final class ReloadedSsl implements LettuceClientOptionsBuilderCustomizer, Ordered {

  private final ObjectProvider<DataRedisProperties> properties;
  private final ObjectProvider<DataRedisConnectionDetails> details;
  private final ObjectProvider<SslBundles> bundles;

  ReloadedSsl(
      ObjectProvider<DataRedisProperties> properties,
      ObjectProvider<DataRedisConnectionDetails> details,
      ObjectProvider<SslBundles> bundles) {
    this.properties = properties;
    this.details = details;
    this.bundles = bundles;
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // Identity: that bundle, not an equal one.
  public void customize(ClientOptions.Builder options) {
    DataRedisProperties redis = properties.getIfAvailable();
    DataRedisConnectionDetails connection = details.getIfAvailable();
    SslBundles known = bundles.getIfAvailable();
    String name = redis == null ? null : redis.getSsl().getBundle();
    SslBundle used = connection == null ? null : connection.getSslBundle();
    // Connection details can come from another source than the properties, with a bundle of their
    // own.
    if (known != null && name != null && used != null && used == known.getBundle(name)) {
      AtomicReference<SslBundle> latest = new AtomicReference<>(used);
      known.addBundleUpdateHandler(name, latest::set);
      options.sslOptions(ssl(used, () -> Objects.requireNonNull(latest.get()).getManagers()));
    }
  }

  /** Converts a bundle as Spring Boot does. */
  private static SslOptions ssl(SslBundle first, Supplier<SslManagerBundle> managers) {
    SslOptions.Builder options =
        SslOptions.builder()
            .keyManager(new CurrentKeys(() -> managers.get().getKeyManagerFactory()))
            .trustManager(new CurrentAuthorities(() -> managers.get().getTrustManagerFactory()));
    String[] ciphers = first.getOptions().getCiphers();
    if (ciphers != null) {
      options.cipherSuites(ciphers);
    }
    String[] protocols = first.getOptions().getEnabledProtocols();
    if (protocols != null) {
      options.protocols(protocols);
    }
    return options.build();
  }

  private static UnsupportedOperationException initialized() {
    return new UnsupportedOperationException("initialized by the SSL bundle");
  }

  /** Called by Lettuce for each connection. */
  private static final class CurrentKeys extends KeyManagerFactory {

    CurrentKeys(Supplier<KeyManagerFactory> current) {
      super(
          new KeyManagerFactorySpi() {
            @Override
            protected KeyManager[] engineGetKeyManagers() {
              return current.get().getKeyManagers();
            }

            @Override
            protected void engineInit(@Nullable KeyStore store, char @Nullable [] password) {
              throw initialized();
            }

            @Override
            protected void engineInit(ManagerFactoryParameters parameters) {
              throw initialized();
            }
          },
          current.get().getProvider(),
          current.get().getAlgorithm());
    }
  }

  /** Called by Lettuce for each connection. */
  private static final class CurrentAuthorities extends TrustManagerFactory {

    CurrentAuthorities(Supplier<TrustManagerFactory> current) {
      super(
          new TrustManagerFactorySpi() {
            @Override
            protected TrustManager[] engineGetTrustManagers() {
              return current.get().getTrustManagers();
            }

            @Override
            protected void engineInit(@Nullable KeyStore store) {
              throw initialized();
            }

            @Override
            protected void engineInit(ManagerFactoryParameters parameters) {
              throw initialized();
            }
          },
          current.get().getProvider(),
          current.get().getAlgorithm());
    }
  }
}
