package dev.varve.server.security;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/** A client that offers its certificate to every server, also to one that trusts other signers. */
final class Offered extends X509ExtendedKeyManager {
  private final X509Certificate certificate;
  private final PrivateKey key;

  private Offered(String client) throws GeneralSecurityException {
    certificate = Pem.certificates(Tls.pem(client + ".pem")).getFirst();
    key = Pem.key(Tls.pem(client + ".key"));
  }

  static SSLContext always(String client) {
    try {
      KeyStore trusted = KeyStores.empty();
      trusted.setCertificateEntry("ca", Pem.certificates(Tls.pem("ca.pem")).getFirst());
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {new Offered(client)}, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public String[] getClientAliases(String type, Principal[] issuers) {
    return new String[] {"client"};
  }

  @Override
  public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
    return "client";
  }

  @Override
  public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
    return "client";
  }

  @Override
  public String[] getServerAliases(String type, Principal[] issuers) {
    return new String[0];
  }

  @Override
  public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
    throw new UnsupportedOperationException("a client");
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return new X509Certificate[] {certificate};
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return key;
  }
}
