package dev.varve.server.http;

import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** Begins each TLS connection with the terms that are in force then. */
final class ServerTls extends SslContextFactory.Server {
  private final Supplier<TlsTerms> terms;

  ServerTls(Supplier<TlsTerms> terms) {
    this.terms = terms;
    setSslContext(terms.get().context());
    // A client could make the server compute handshakes without end.
    setRenegotiationAllowed(false);
  }

  @Override
  public SSLEngine newSSLEngine() {
    return terms.get().engine();
  }

  @Override
  public SSLEngine newSSLEngine(String host, int port) {
    return newSSLEngine();
  }

  @Override
  public SSLEngine newSSLEngine(InetSocketAddress address) {
    return newSSLEngine();
  }

  /** Returns the certificate that a client has sent; null for none. */
  static @Nullable X509Certificate certificate(EndPoint endPoint) {
    if (endPoint instanceof SslConnection.SslEndPoint encrypted) {
      try {
        Certificate[] chain =
            encrypted.getSslConnection().getSSLEngine().getSession().getPeerCertificates();
        return chain.length > 0 && chain[0] instanceof X509Certificate first ? first : null;
      } catch (SSLPeerUnverifiedException e) {
        return null;
      }
    }
    return null;
  }
}
