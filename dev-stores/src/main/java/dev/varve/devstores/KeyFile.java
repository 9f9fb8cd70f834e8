package dev.varve.devstores;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;

/** A key store (PKCS #12) with what one owner presents or trusts, and its password. */
public record KeyFile(Path file, String password) {
  private static final String ALIAS = "it";

  /**
   * Creates a key and a self-signed certificate that is valid for a day, with Java's {@code
   * keytool}.
   *
   * @param names the subject alternative names, such as {@code ip:127.0.0.1,dns:node}
   */
  public static KeyFile make(Path directory, String owner, String names) {
    KeyFile made = new KeyFile(directory.resolve(owner + ".p12"), "secret-of-" + owner);
    List<String> command =
        List.of(
            JavaHome.ownJava().resolveSibling("keytool").toString(),
            "-genkeypair",
            "-keystore",
            made.file.toString(),
            "-storetype",
            "PKCS12",
            "-storepass",
            made.password,
            "-alias",
            ALIAS,
            "-keyalg",
            "EC",
            "-dname",
            "CN=" + owner,
            "-ext",
            "san=" + names,
            "-validity",
            "1");
    try {
      Files.createDirectories(directory);
      Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (keytool.waitFor() != 0) {
        throw new DevStoreException("keytool made no key of %s: %s".formatted(owner, output));
      }
    } catch (IOException e) {
      throw new DevStoreException("keytool cannot be started: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DevStoreException("waiting for keytool was interrupted", e);
    }
    return made;
  }

  /** Creates a key store that trusts the owner of this one, in a file next to it. */
  public KeyFile trust() {
    KeyFile trust = new KeyFile(file.resolveSibling("trust-" + file.getFileName()), password);
    try (OutputStream out = Files.newOutputStream(trust.file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setCertificateEntry(ALIAS, certificate());
      store.store(out, password.toCharArray());
    } catch (IOException | GeneralSecurityException e) {
      throw new DevStoreException("cannot write %s: %s".formatted(trust.file, e.getMessage()), e);
    }
    return trust;
  }

  /** Writes the certificate as PEM, to a file next to this one. */
  public Path pem() {
    Path pem = file.resolveSibling(file.getFileName() + ".pem");
    try {
      Files.writeString(
          pem,
          "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
              .formatted(Base64.getMimeEncoder().encodeToString(certificate().getEncoded())));
    } catch (IOException | GeneralSecurityException e) {
      throw new DevStoreException("cannot write %s: %s".formatted(pem, e.getMessage()), e);
    }
    return pem;
  }

  private Certificate certificate() throws IOException, GeneralSecurityException {
    return KeyStore.getInstance(file.toFile(), password.toCharArray()).getCertificate(ALIAS);
  }
}
