package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ssl.ProgrammaticSslEngineFactory;
import com.datastax.oss.driver.api.core.ssl.SslEngineFactory;
import dev.varve.store.StoreException;
import dev.varve.store.cassandra.CassandraOptions.Tls;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Makes what encrypts connections, from files. */
final class TlsSetup {
  private TlsSetup() {}

  /**
   * Reads the files.
   *
   * @throws StoreException naming a file that holds no certificate, or none for its password
   */
  static SslEngineFactory engines(Tls tls) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          tls.key() == null ? null : keys(tls.key(), tls.keyPassword()).getKeyManagers(),
          tls.trusted() == null
              ? null
              : trusted(tls.trusted(), tls.trustedPassword()).getTrustManagers(),
          null);
      return new ProgrammaticSslEngineFactory(context, null, tls.verifyHostname());
    } catch (GeneralSecurityException e) {
      throw new StoreException("cassandra store: TLS cannot be set up: " + e.getMessage(), e);
    }
  }

  private static TrustManagerFactory trusted(Path file, @Nullable String password)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(isPem(file) ? certificates(file) : keyStore("tls-trusted", file, password));
    return factory;
  }

  private static KeyManagerFactory keys(Path file, @Nullable String password)
      throws GeneralSecurityException {
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keyStore("tls-key", file, password), chars(password));
    return factory;
  }

  private static boolean isPem(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(64), java.nio.charset.StandardCharsets.US_ASCII)
          .contains("-----BEGIN");
    } catch (IOException e) {
      throw new StoreException(
          "cassandra store: option tls-trusted: '%s' cannot be read: %s"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private static KeyStore certificates(Path file) throws GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("certificate " + count++, certificate);
      }
      return store;
    } catch (IOException e) {
      throw new StoreException(
          "cassandra store: option tls-trusted: '%s' cannot be read: %s"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private static KeyStore keyStore(String option, Path file, @Nullable String password)
      throws GeneralSecurityException {
    File source = file.toFile();
    char[] characters = chars(password);
    try {
      return characters == null
          ? KeyStore.getInstance(source, (KeyStore.LoadStoreParameter) null)
          : KeyStore.getInstance(source, characters);
    } catch (IOException e) {
      throw new StoreException(
          "cassandra store: option %s: '%s' is no key store of this password: %s"
              .formatted(option, file, e.getMessage()),
          e);
    }
  }

  private static char @Nullable [] chars(@Nullable String password) {
    return password == null ? null : password.toCharArray();
  }
}
