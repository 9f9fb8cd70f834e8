package dev.varve.server.security;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Checks the certificates of clients: their signers, if required, and their names. */
final class ClientTrust extends X509ExtendedTrustManager {
  private static final X509Certificate[] NO_ISSUERS = {};

  private final @Nullable X509ExtendedTrustManager verifier;
  private final Set<String> allowed;

  /**
   * @param verifies whether an authority must have signed a certificate
   * @param authorities the authorities; empty for those of the system
   * @param allowed alternative names, of which a certificate must have one; empty for any
   */
  ClientTrust(boolean verifies, List<X509Certificate> authorities, Set<String> allowed)
      throws GeneralSecurityException {
    this.verifier = verifies ? verifier(authorities) : null;
    this.allowed = allowed;
  }

  private static X509ExtendedTrustManager verifier(List<X509Certificate> authorities)
      throws GeneralSecurityException {
    KeyStore trusted = null;
    if (!authorities.isEmpty()) {
      trusted = KeyStores.empty();
      for (int i = 0; i < authorities.size(); i++) {
        trusted.setCertificateEntry("ca" + i, authorities.get(i));
      }
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(trusted);
    for (TrustManager found : factory.getTrustManagers()) {
      if (found instanceof X509ExtendedTrustManager extended) {
        return extended;
      }
    }
    throw new GeneralSecurityException("this Java cannot verify certificates");
  }

  private void checkNames(X509Certificate[] chain) throws CertificateException {
    if (!allowed.isEmpty()
        && ClientNames.alternatives(chain[0]).stream().noneMatch(allowed::contains)) {
      throw new CertificateException(
          "the client's certificate has none of the names in client_allowed_sans");
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    if (verifier != null) {
      verifier.checkClientTrusted(chain, type);
    }
    checkNames(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    if (verifier != null) {
      verifier.checkClientTrusted(chain, type, socket);
    }
    checkNames(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    if (verifier != null) {
      verifier.checkClientTrusted(chain, type, engine);
    }
    checkNames(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw new CertificateException("this checks clients alone");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkServerTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkServerTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return verifier == null ? NO_ISSUERS : verifier.getAcceptedIssuers();
  }
}
