package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ssl.ProgrammaticSslEngineFactory;
import com.datastax.oss.driver.api.core.ssl.SslEngineFactory;
import dev.varve.store.StoreException;
import dev.varve.store.cassandra.CassandraOptions.Tls;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collections;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Sets up TLS from key and certificate files. */
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
      // Verifies the name or address of the contact point: a reverse DNS name proves nothing.
      return new ProgrammaticSslEngineFactory(context, null, tls.verifyHostname(), false);
    } catch (GeneralSecurityException e) {
      throw new StoreException("cassandra store: TLS cannot be set up: " + e.getMessage(), e);
    }
  }

  private static TrustManagerFactory trusted(Path file, @Nullable String password)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    KeyStore store = isPem(file) ? certificates(file) : keyStore("tls-trusted", file, password);
    if (store.size() == 0) {
      throw shows("tls-trusted", file, "no certificate", password);
    }
    factory.init(store);
    return factory;
  }

  private static KeyManagerFactory keys(Path file, @Nullable String password)
      throws GeneralSecurityException {
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    KeyStore store = keyStore("tls-key", file, password);
    if (Collections.list(store.aliases()).stream().noneMatch(alias -> isKey(store, alias))) {
      throw shows("tls-key", file, "no key", password);
    }
    factory.init(store, chars(password));
    return factory;
  }

  private static boolean isKey(KeyStore store, String alias) {
    try {
      return store.isKeyEntry(alias);
    } catch (KeyStoreException e) {
      throw new IllegalStateException("a key store that was read is initialized", e);
    }
  }

  /** A key store can be read without its password, but then shows no entries. */
  private static StoreException shows(
      String option, Path file, String what, @Nullable String password) {
    return new StoreException(
        "cassandra store: option %s: '%s' shows %s%s"
            .formatted(
                option,
                file,
                what,
                password == null
                    ? " without a password (option %s-password)".formatted(option)
                    : ""));
  }

  private static boolean isPem(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(64), StandardCharsets.US_ASCII).contains("-----BEGIN");
    } catch (IOException e) {
      throw unreadable("tls-trusted", file, "cannot be read", e);
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
    } catch (IOException | CertificateException e) {
      throw unreadable("tls-trusted", file, "holds no readable certificates", e);
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
      throw unreadable(option, file, "is not a key store with this password", e);
    } catch (KeyStoreException e) {
      throw unreadable(option, file, "is not a key store", e);
    }
  }

  private static StoreException unreadable(
      String option, Path file, String what, Exception failure) {
    return new StoreException(
        "cassandra store: option %s: '%s' %s: %s"
            .formatted(option, file, what, failure.getMessage()),
        failure);
  }

  private static char @Nullable [] chars(@Nullable String password) {
    return password == null ? null : password.toCharArray();
  }
}
