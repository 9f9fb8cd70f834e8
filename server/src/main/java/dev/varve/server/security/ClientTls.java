package dev.varve.server.security;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** TLS of clients, from PEM. */
public final class ClientTls {
  private ClientTls() {}

  /**
   * Returns a TLS context with the authorities that a client trusts and its certificate.
   *
   * @param authorities PEM of the authorities that may sign servers' certificates; null for those
   *     of Java
   * @param certificate PEM of the client's certificate; null for none
   * @param key PEM of its key; null for none
   * @param trustsAll whether every server is trusted, whatever its certificate
   * @throws GeneralSecurityException if a text cannot be used
   */
  public static SSLContext context(
      @Nullable String authorities,
      @Nullable String certificate,
      @Nullable String key,
      boolean trustsAll)
      throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        certificate == null || key == null ? null : keys(certificate, key),
        trustsAll ? new TrustManager[] {new Credulous()} : trust(authorities),
        null);
    return context;
  }

  private static KeyManager[] keys(String certificate, String key) throws GeneralSecurityException {
    List<X509Certificate> chain = Pem.certificates(certificate);
    PrivateKey secret = Pem.key(key);
    KeyStore store = KeyStores.empty();
    char[] password = new char[0];
    store.setKeyEntry("client", secret, password, chain.toArray(X509Certificate[]::new));
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(store, password);
    return factory.getKeyManagers();
  }

  private static TrustManager @Nullable [] trust(@Nullable String authorities)
      throws GeneralSecurityException {
    if (authorities == null) {
      return null;
    }
    KeyStore trusted = KeyStores.empty();
    List<X509Certificate> certificates = Pem.certificates(authorities);
    for (int i = 0; i < certificates.size(); i++) {
      trusted.setCertificateEntry("ca" + i, certificates.get(i));
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(trusted);
    return factory.getTrustManagers();
  }

  /** Trusts every server, because its user requested it. */
  private static final class Credulous extends X509ExtendedTrustManager {
    private static final X509Certificate[] NONE = {};

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return NONE;
    }
  }
}
