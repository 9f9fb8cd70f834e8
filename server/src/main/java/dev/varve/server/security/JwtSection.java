package dev.varve.server.security;

import dev.varve.server.config.ConfigReader;
import dev.varve.server.security.JwtRule.Keys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the section {@code jwt} of a user, with vmauth's keys. */
final class JwtSection {
  private final ConfigReader reader;
  private final Path folder;

  /**
   * @param folder to which paths are relative
   */
  JwtSection(ConfigReader reader, Path folder) {
    this.reader = reader;
    this.folder = folder;
  }

  /** Reads the section; null if it has a problem, which is recorded. */
  @Nullable JwtRule rule() {
    List<String> audiences = reader.texts("audience");
    Map<String, String> claims = reader.texts("match_claims", "claims");
    String issuer = reader.text("issuer");
    Keys.Published published = reader.has("oidc") ? oidc(reader.below("oidc")) : null;
    Keys.Given given = given();
    if ("true".equals(reader.text("skip_verify"))) {
      reader.problem("skip_verify", "is refused: whoever makes up a token would be this user");
    }
    reader.refuseUnknown();
    boolean isGiven = reader.has("public_keys") || reader.has("public_key_files");
    if (reader.has("oidc") == isGiven) {
      reader.problem(
          "public_keys", "or public_key_files or oidc: exactly one kind of keys is needed");
      return null;
    }
    if (!reader.has("oidc")) {
      return new JwtRule(given, issuer, audiences, claims);
    }
    if (issuer != null) {
      reader.problem("issuer", "is that of 'oidc' already");
    }
    if (audiences.isEmpty() && claims.isEmpty()) {
      reader.problem(
          "audience",
          "or match_claims are needed beside oidc: the issuer signs tokens for others too");
    }
    return published == null
        ? null
        : new JwtRule(published, published.issuer().toString(), audiences, claims);
  }

  private Keys.Given given() {
    List<VerifyKey> keys = new ArrayList<>();
    for (String text : reader.texts("public_keys")) {
      add("public_keys", text, keys);
    }
    List<Path> files = reader.paths("public_key_files", folder);
    for (Path file : files) {
      String text = contents("public_key_files", file, reader);
      if (text != null) {
        add("public_key_files", text, keys);
      }
    }
    return new Keys.Given(keys, files);
  }

  private void add(String name, String text, List<VerifyKey> to) {
    try {
      for (PublicKey key : Pem.publicKeys(text)) {
        if (!JwtAlgorithm.takesAny(key)) {
          reader.problem(
              name,
              "has a key that is not taken; taken are RSA of %,d to %,d bits, P-256, P-384, P-521 and Ed25519"
                  .formatted(JwtAlgorithm.RSA_MIN, JwtAlgorithm.RSA_MAX));
        }
        to.add(new VerifyKey(null, null, key));
      }
    } catch (GeneralSecurityException e) {
      reader.problem(name, "cannot be used: " + e.getMessage());
    }
  }

  private Keys.@Nullable Published oidc(ConfigReader of) {
    String text = of.text("issuer");
    Path file = of.path("ca_file", folder);
    of.refuseUnknown();
    String authorities = file == null ? null : contents("ca_file", file, of);
    if (authorities != null) {
      try {
        var _ = Pem.certificates(authorities);
      } catch (GeneralSecurityException e) {
        of.problem("ca_file", "cannot be used: " + e.getMessage());
      }
    }
    if (text == null) {
      of.problem("issuer", "is missing");
      return null;
    }
    try {
      URI issuer = new URI(text);
      if (isSafe(issuer)) {
        return new Keys.Published(issuer, authorities, file);
      }
    } catch (URISyntaxException e) {
      // Reported below.
    }
    of.problem(
        "issuer",
        "'%s' is no address such as https://login.example.com; http is taken on loopback alone"
            .formatted(text));
    return null;
  }

  private static boolean isSafe(URI issuer) {
    boolean plain =
        issuer.getUserInfo() == null
            && issuer.getHost() != null
            && issuer.getQuery() == null
            && issuer.getFragment() == null;
    return plain && isProtected(issuer);
  }

  /**
   * Returns whether nobody in between can change the answers of an address: it is of HTTPS, or of
   * HTTP on loopback.
   */
  static boolean isProtected(URI address) {
    String host = address.getHost();
    return host != null
        && ("https".equals(address.getScheme())
            || ("http".equals(address.getScheme()) && isLoopback(host)));
  }

  private static boolean isLoopback(String host) {
    try {
      return host.equals("localhost")
          || InetAddress.ofLiteral(host.replaceAll("^\\[|]$", "")).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static @Nullable String contents(String key, Path file, ConfigReader of) {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      of.problem(key, "there is no file '" + file + "'");
    } catch (IOException e) {
      of.problem(key, "'%s' cannot be read: %s".formatted(file, e.getMessage()));
    }
    return null;
  }
}
