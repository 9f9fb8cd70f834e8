package dev.varve.server.security;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;

/** Key stores that exist in memory alone. */
final class KeyStores {
  private KeyStores() {}

  static KeyStore empty() throws GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try {
      store.load(null, null);
    } catch (IOException e) {
      throw new GeneralSecurityException("nothing could not be loaded", e);
    }
    return store;
  }
}
