package dev.varve.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.server.config.ConfigException;
import dev.varve.server.security.JwtLogins.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which tokens prove a user whose public keys stand in the users file. */
class JwtTest {
  private static final long NOW = 1_700_000_000;
  private static final KeyPair RSA = Tokens.rsa(2048);
  private static final KeyPair OTHER = Tokens.rsa(2048);
  private static final String LIVE = "\"exp\":" + (NOW + 100);

  private final JwtLogins logins =
      new JwtLogins(Clock.fixed(Instant.ofEpochSecond(NOW), ZoneOffset.UTC), Issuer.Pace.DEFAULT);

  @TempDir private Path folder;

  @AfterEach
  void close() {
    logins.close();
  }

  private List<User> users(String jwt) throws IOException {
    Path file = folder.resolve("users.yml");
    Files.writeString(file, "users:\n- name: robot\n  rights: [read]\n  jwt:\n" + jwt.indent(4));
    return UsersFile.read(file, Map.of());
  }

  private List<User> withKey(KeyPair pair, String more) throws IOException {
    return users("public_keys:\n- |\n" + Tokens.pem(pair.getPublic()).indent(2) + more);
  }

  private static String token(String claims) {
    return Tokens.signed("RS256", RSA.getPrivate(), "", "{" + claims + "}");
  }

  private Verdict verdict(String token, List<User> users) {
    Verdict verdict = logins.verify(token, users);
    assertThat(verdict.reason()).doesNotContain(token);
    return verdict;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"
      })
  void takesEveryAlgorithmWithAPairOfKeys(String algorithm) throws IOException {
    KeyPair pair =
        switch (algorithm) {
          case "ES256" -> Tokens.ofCurve("secp256r1");
          case "ES384" -> Tokens.ofCurve("secp384r1");
          case "ES512" -> Tokens.ofCurve("secp521r1");
          case "EdDSA" -> Tokens.ofCurve("Ed25519");
          default -> RSA;
        };
    List<User> users = withKey(pair, "");
    String token = Tokens.signed(algorithm, pair.getPrivate(), "", "{" + LIVE + "}");
    assertThat(verdict(token, users).caller()).isNotNull();
    assertThat(verdict(token, withKey(OTHER, "")).caller()).isNull();
    // The signature of other claims.
    String[] parts = token.split("\\.", 0);
    String forged = parts[0] + "." + Tokens.encoded("{" + LIVE + ",\"a\":1}") + "." + parts[2];
    assertThat(verdict(forged, users).caller()).isNull();
    // The same key, as an issuer publishes it.
    assertThat(
            VerifyKey.set(Tokens.set(List.of(Tokens.jwk("k", pair.getPublic()))).getBytes(UTF_8)))
        .extracting(VerifyKey::key)
        .containsExactly(pair.getPublic());
  }

  @Test
  void takesNoTokenThatChoosesItsAlgorithm() throws IOException {
    List<User> users = withKey(RSA, "");
    String none = Tokens.encoded("{\"alg\":\"none\"}") + "." + Tokens.encoded("{" + LIVE + "}");
    for (String token :
        List.of(
            none + ".",
            Tokens.withPublicKeyAsSecret(RSA.getPublic(), "{" + LIVE + "}"),
            Tokens.signed("RS256", RSA.getPrivate(), ",\"crit\":[\"b64\"]", "{" + LIVE + "}"),
            Tokens.signed("RS256", RSA.getPrivate(), ",\"alg\":\"none\"", "{" + LIVE + "}"),
            token(LIVE).replace('.', ' '),
            token(LIVE) + ".a.b",
            "ey.ey.ey")) {
      assertThat(verdict(token, users).caller()).as(token).isNull();
    }
    // Java verifies a signature of P-256 with 0 and 0, or of another curve's length, as false.
    KeyPair curve = Tokens.ofCurve("secp256r1");
    String[] parts =
        Tokens.signed("ES256", curve.getPrivate(), "", "{" + LIVE + "}").split("\\.", 0);
    String zero = parts[0] + "." + parts[1] + "." + "A".repeat(86);
    assertThat(verdict(zero, withKey(curve, "")).caller()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "\"exp\":1700000100 | ",
        "\"exp\":1699999971 | ",
        "\"exp\":1699999970 | has expired",
        "\"a\":1 | never expires",
        "\"exp\":\"1700000100\" | never expires",
        "\"exp\":1700000100,\"nbf\":1700000030 | ",
        "\"exp\":1700000100,\"nbf\":1700000031 | not valid yet",
        "\"exp\":1700000100,\"nbf\":\"x\" | not valid yet",
        "\"exp\":1700000100,\"exp\":1700000200 | is no JWT",
      })
  void looksAtTimes(String claims, String reason) throws IOException {
    assertThat(verdict(token(claims), withKey(RSA, "")).reason())
        .contains(reason == null ? "" : reason);
    assertThat(verdict(token(claims), withKey(RSA, "")).caller() == null).isEqualTo(reason != null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "\"iss\":\"us\",\"aud\":\"varve\",\"role\":\"a\",\"realm\":{\"roles\":[\"x\",\"ops\"]},\"n\":7,\"ok\":true | true",
        "\"iss\":\"us\",\"aud\":[\"b\",\"varve\"],\"role\":\"a\",\"realm.roles\":\"ops\",\"n\":7,\"ok\":true | true",
        "\"iss\":\"they\",\"aud\":\"varve\",\"role\":\"a\",\"realm\":{\"roles\":[\"ops\"]},\"n\":7,\"ok\":true | false",
        "\"aud\":\"varve\",\"role\":\"a\",\"realm\":{\"roles\":[\"ops\"]},\"n\":7,\"ok\":true | false",
        "\"iss\":\"us\",\"aud\":\"other\",\"role\":\"a\",\"realm\":{\"roles\":[\"ops\"]},\"n\":7,\"ok\":true | false",
        "\"iss\":\"us\",\"role\":\"a\",\"realm\":{\"roles\":[\"ops\"]},\"n\":7,\"ok\":true | false",
        "\"iss\":\"us\",\"aud\":\"varve\",\"role\":\"b\",\"realm\":{\"roles\":[\"ops\"]},\"n\":7,\"ok\":true | false",
        "\"iss\":\"us\",\"aud\":\"varve\",\"role\":\"a\",\"realm\":{\"roles\":[\"x\"]},\"n\":7,\"ok\":true | false",
        "\"iss\":\"us\",\"aud\":\"varve\",\"role\":\"a\",\"realm\":\"ops\",\"n\":7,\"ok\":true | false",
        "\"iss\":\"us\",\"aud\":\"varve\",\"role\":\"a\",\"realm\":{\"roles\":[\"ops\"]},\"n\":8,\"ok\":true | false",
      })
  void looksAtClaims(String claims, boolean proves) throws IOException {
    List<User> users =
        withKey(
            RSA,
            "issuer: us\naudience: [varve, other-name]\nmatch_claims: {role: a, realm.roles: ops, n: '7', ok: 'true'}\n");
    assertThat(verdict(token(LIVE + "," + claims), users).caller() != null).isEqualTo(proves);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "public_keys: [abc] | there is no '-----BEGIN PUBLIC KEY-----' in it",
        "public_key_files: [missing.pem] | there is no file",
        "{} | exactly one kind of keys",
        "{skip_verify: true} | skip_verify: is refused",
        "oidc: {issuer: 'http://login.example.com'}\\naudience: a | http is taken on loopback alone",
        "oidc: {issuer: 'https://u:p@login.example.com'}\\naudience: a | is no address",
        "oidc: {issuer: 'https://login.example.com'} | the issuer signs tokens for others too",
        "oidc: {}\\naudience: a | issuer: is missing",
        "oidc: {issuer: 'https://a'}\\nissuer: b\\naudience: a | is that of 'oidc' already",
        "oidc: {issuer: 'https://a', what: b}\\naudience: a | what: is unknown",
      })
  void refusesSectionsThatProveNothing(String section, String problem) {
    assertThatThrownBy(() -> users(section.replace("\\n", "\n")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void readsKeysFromFilesAndRefusesShortOnes() throws IOException {
    Files.writeString(folder.resolve("key.pem"), Tokens.pem(RSA.getPublic()));
    List<User> users = users("public_key_files: [key.pem]");
    assertThat(verdict(token(LIVE), users).caller()).isNotNull();
    assertThatThrownBy(() -> withKey(Tokens.rsa(1024), ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("RSA of 2,048 to 8,192 bits");
    assertThat(VerifyKey.set("{\"keys\":[{\"kty\":\"oct\",\"k\":\"AA\"},7]}".getBytes(UTF_8)))
        .isEmpty();
    String offCurve =
        Tokens.jwk("k", Tokens.ofCurve("secp256r1").getPublic())
            .replaceAll("\"y\":\"[^\"]*\"", "\"y\":\"AQ\"");
    assertThat(VerifyKey.set(Tokens.set(List.of(offCurve)).getBytes(UTF_8))).isEmpty();
  }
}
