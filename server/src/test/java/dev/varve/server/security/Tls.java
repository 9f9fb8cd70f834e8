package dev.varve.server.security;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Certificates of tests, and clients that use them. */
final class Tls {
  private static final String FOLDER = "/dev/varve/server/tls/";

  private Tls() {}

  static String pem(String name) {
    try (InputStream in = Tls.class.getResourceAsStream(FOLDER + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Copies files beside a configuration. */
  static void copy(Path folder, String... names) throws IOException {
    for (String name : names) {
      Files.writeString(folder.resolve(name), pem(name));
    }
  }

  /**
   * Returns what a client needs.
   *
   * @param client name of the client's certificate; null for none
   */
  static SSLContext client(@Nullable String client) {
    try {
      return client == null
          ? context(null, new X509Certificate[0])
          : context(
              Pem.key(pem(client + ".key")),
              Pem.certificates(pem(client + ".pem")).toArray(X509Certificate[]::new));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  static SSLContext clientWith(Issued issued) {
    return context(issued.key().getPrivate(), new X509Certificate[] {issued.certificate()});
  }

  private static SSLContext context(@Nullable PrivateKey key, X509Certificate[] chain) {
    try {
      KeyStore trusted = KeyStores.empty();
      trusted.setCertificateEntry("ca", Pem.certificates(pem("ca.pem")).getFirst());
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      KeyManager[] keys = null;
      if (key != null) {
        KeyStore own = KeyStores.empty();
        own.setKeyEntry("client", key, new char[0], chain);
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(own, new char[0]);
        keys = factory.getKeyManagers();
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
