package dev.varve.server.http;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/**
 * The server's settings for TLS handshakes.
 *
 * @param context certificate, key and trust
 * @param parameters versions, cipher suites, groups and client authentication; never changed
 */
public record TlsTerms(SSLContext context, SSLParameters parameters) {
  /** Creates the engine of a connection. */
  SSLEngine engine() {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    engine.setSSLParameters(parameters);
    return engine;
  }
}
