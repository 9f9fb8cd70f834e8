package dev.varve.server.security;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.http.TlsTerms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The section {@code tls_server_config}: the server's certificate, and its requirements on clients.
 *
 * @param certificate the server's certificate, with intermediate ones after it
 * @param key its private key
 * @param clients the requirement on clients' certificates
 * @param authorities certificates of the authorities that sign clients' certificates; null for
 *     those of the system
 * @param allowedNames alternative names, of which a client's certificate must have one; empty for
 *     any
 * @param protocols TLS versions by Java's names
 * @param ciphers cipher suites by Java's names; empty for Java's choice
 * @param groups named groups by Java's names; empty for Java's choice
 */
record TlsSettings(
    PemSource certificate,
    PemSource key,
    ClientAuth clients,
    @Nullable PemSource authorities,
    Set<String> allowedNames,
    List<String> protocols,
    List<String> ciphers,
    List<String> groups) {
  /** A requirement on clients' certificates, named as in Go. */
  enum ClientAuth {
    NoClientCert,
    RequestClientCert,
    RequireAnyClientCert,
    VerifyClientCertIfGiven,
    RequireAndVerifyClientCert;

    /** Returns whether certificates are verified, so that their names prove something. */
    boolean verifies() {
      return this == VerifyClientCertIfGiven || this == RequireAndVerifyClientCert;
    }

    boolean requires() {
      return this == RequireAnyClientCert || this == RequireAndVerifyClientCert;
    }
  }

  /**
   * PEM in a file, or in the configuration itself.
   *
   * @param key the configuration key that gives it
   * @param file null for inline text
   * @param inline empty for a file
   */
  record PemSource(String key, @Nullable Path file, String inline) {
    String read() throws IOException {
      return file == null ? inline : Files.readString(file);
    }

    @Override
    public String toString() {
      return key + (file == null ? "" : " " + file);
    }
  }

  private static final List<String> VERSIONS = List.of("TLS10", "TLS11", "TLS12", "TLS13");

  /** Versions that Java 25 no longer speaks. */
  private static final Set<String> GONE = Set.of("TLS10", "TLS11");

  private static final Map<String, String> GROUPS =
      Map.of(
          "CurveP256", "secp256r1",
          "CurveP384", "secp384r1",
          "CurveP521", "secp521r1",
          "X25519", "x25519");

  TlsSettings {
    allowedNames = Set.copyOf(allowedNames);
    protocols = List.copyOf(protocols);
    ciphers = List.copyOf(ciphers);
    groups = List.copyOf(groups);
  }

  /** Reads the section; null if it is incomplete, in which case a problem is recorded. */
  static @Nullable TlsSettings read(ConfigReader reader, Path folder) {
    PemSource certificate = pem(reader, "cert", folder);
    PemSource key = pem(reader, "key", folder);
    PemSource authorities = pem(reader, "client_ca", folder);
    ClientAuth clients = clientAuth(reader);
    Set<String> allowed = Set.copyOf(reader.texts("client_allowed_sans"));
    List<String> protocols = protocols(reader);
    List<String> ciphers = ciphers(reader);
    List<String> groups = groups(reader);
    // The order of the server always applies, as the toolkit has it by default.
    reader.choice("prefer_server_cipher_suites", List.of("true", "false"), "true");
    if (certificate == null) {
      reader.problem("cert_file", "is missing: a TLS server needs cert_file and key_file");
    }
    if (key == null) {
      reader.problem("key_file", "is missing: a TLS server needs cert_file and key_file");
    }
    if (authorities == null && clients == ClientAuth.RequireAndVerifyClientCert) {
      reader.problem(
          "client_ca_file", "is missing: certificates of which authority prove who a client is?");
    }
    if (authorities != null && clients == ClientAuth.NoClientCert) {
      reader.problem(
          "client_auth_type",
          "does not ask for client certificates, so client_ca_file has no use: try RequireAndVerifyClientCert");
    }
    reader.refuseUnknown();
    return certificate == null || key == null
        ? null
        : new TlsSettings(
            certificate, key, clients, authorities, allowed, protocols, ciphers, groups);
  }

  private static @Nullable PemSource pem(ConfigReader reader, String key, Path folder) {
    Path file = reader.path(key + "_file", folder);
    String inline = reader.text(key);
    if (file != null && inline != null) {
      reader.problem(key, "and " + key + "_file exclude each other");
    }
    if (file != null) {
      return new PemSource(key + "_file", file, "");
    }
    return inline == null ? null : new PemSource(key, null, inline);
  }

  private static ClientAuth clientAuth(ConfigReader reader) {
    String text = reader.text("client_auth_type", "NoClientCert");
    // The toolkit's older names.
    String name =
        switch (text) {
          case "" -> "NoClientCert";
          case "RequireClientCert" -> "RequireAnyClientCert";
          default -> text;
        };
    List<String> names = Arrays.stream(ClientAuth.values()).map(Enum::name).toList();
    if (names.contains(name)) {
      return ClientAuth.valueOf(name);
    }
    reader.problem("client_auth_type", "'" + text + "' is none of " + String.join(", ", names));
    return ClientAuth.NoClientCert;
  }

  private static List<String> protocols(ConfigReader reader) {
    int min = version(reader, "min_version", "TLS12");
    int max = version(reader, "max_version", "TLS13");
    if (min > max) {
      reader.problem("max_version", "is older than min_version");
    }
    List<String> protocols = new ArrayList<>();
    for (int i = Math.max(min, 2); i <= max; i++) {
      protocols.add("TLSv1." + VERSIONS.get(i).charAt(4));
    }
    return protocols;
  }

  private static int version(ConfigReader reader, String key, String otherwise) {
    String text = reader.choice(key, VERSIONS, otherwise);
    if (GONE.contains(text)) {
      reader.problem(key, text + " is broken and no longer spoken by Java: try TLS12");
    }
    return VERSIONS.indexOf(text);
  }

  private static List<String> ciphers(ConfigReader reader) {
    List<String> named = reader.texts("cipher_suites");
    try {
      Set<String> known =
          Set.of(SSLContext.getDefault().getSupportedSSLParameters().getCipherSuites());
      for (String name : named) {
        if (!known.contains(name)) {
          reader.problem(
              "cipher_suites", "'" + name + "' is unknown to this Java, or disabled as unsafe");
        }
      }
    } catch (GeneralSecurityException e) {
      reader.problem("cipher_suites", "cannot be checked: " + e.getMessage());
    }
    return named;
  }

  private static List<String> groups(ConfigReader reader) {
    List<String> groups = new ArrayList<>();
    for (String name : reader.texts("curve_preferences")) {
      String group = GROUPS.get(name);
      if (group == null) {
        reader.problem(
            "curve_preferences",
            "'%s' is not spoken here; known are %s"
                .formatted(name, String.join(", ", GROUPS.keySet().stream().sorted().toList())));
      } else {
        groups.add(group);
      }
    }
    return groups;
  }

  /** Returns the files that the section names, which are read again when they change. */
  List<Path> files() {
    List<Path> files = new ArrayList<>();
    for (PemSource source : new @Nullable PemSource[] {certificate, key, authorities}) {
      if (source != null && source.file() != null) {
        files.add(source.file());
      }
    }
    return files;
  }

  /**
   * Reads certificates and key.
   *
   * @throws ConfigException if one cannot be used
   */
  TlsTerms terms() {
    List<X509Certificate> chain = load(certificate, Pem::certificates);
    PrivateKey secret = load(key, Pem::key);
    List<X509Certificate> signers =
        authorities == null ? List.of() : load(authorities, Pem::certificates);
    try {
      KeyStore store = KeyStores.empty();
      char[] password = new char[0];
      store.setKeyEntry("server", secret, password, chain.toArray(X509Certificate[]::new));
      KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      keys.init(store, password);
      requirePair(chain.getFirst(), secret);
      SSLContext context = SSLContext.getInstance("TLS");
      ClientTrust trust = new ClientTrust(clients.verifies(), signers, allowedNames);
      context.init(keys.getKeyManagers(), new TrustManager[] {trust}, null);
      return new TlsTerms(context, parameters(context));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw problem(certificate.toString(), String.valueOf(e.getMessage()));
    }
  }

  /** Checks that the key belongs to the certificate, which a handshake would find out later. */
  private void requirePair(X509Certificate first, PrivateKey secret)
      throws GeneralSecurityException {
    String algorithm =
        switch (secret.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> secret.getAlgorithm();
        };
    byte[] text = {1, 2, 3};
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(secret);
    signature.update(text);
    byte[] signed = signature.sign();
    try {
      signature.initVerify(first.getPublicKey());
      signature.update(text);
      if (signature.verify(signed)) {
        return;
      }
    } catch (InvalidKeyException | SignatureException e) {
      // A certificate for a key of another kind.
    }
    throw problem(key.toString(), "is not the key of the first certificate in " + certificate);
  }

  private SSLParameters parameters(SSLContext context) {
    SSLParameters parameters = context.getDefaultSSLParameters();
    parameters.setProtocols(protocols.toArray(String[]::new));
    if (!ciphers.isEmpty()) {
      // As in Go, the suites of TLS 1.3 are not chosen by name.
      List<String> all = new ArrayList<>(ciphers);
      for (String suite : parameters.getCipherSuites()) {
        if (!suite.contains("_WITH_") && !all.contains(suite)) {
          all.add(suite);
        }
      }
      parameters.setCipherSuites(all.toArray(String[]::new));
    }
    if (!groups.isEmpty()) {
      parameters.setNamedGroups(groups.toArray(String[]::new));
    }
    parameters.setUseCipherSuitesOrder(true);
    if (clients.requires()) {
      parameters.setNeedClientAuth(true);
    } else if (clients != ClientAuth.NoClientCert) {
      parameters.setWantClientAuth(true);
    }
    return parameters;
  }

  /** Converts PEM. */
  private interface Conversion<T> {
    T of(String text) throws GeneralSecurityException;
  }

  private static <T> T load(PemSource source, Conversion<T> conversion) {
    try {
      return conversion.of(source.read());
    } catch (NoSuchFileException e) {
      throw problem(source.toString(), "there is no such file");
    } catch (IOException | GeneralSecurityException e) {
      throw problem(source.toString(), "cannot be used: " + e.getMessage());
    }
  }

  private static ConfigException problem(String place, String text) {
    return new ConfigException(List.of("tls_server_config." + place + ": " + text));
  }
}
