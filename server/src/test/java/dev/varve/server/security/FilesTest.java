package dev.varve.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.varve.server.Dialects;
import dev.varve.server.ServerConfig.Feed;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.TestServer;
import dev.varve.server.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.interfaces.ECPrivateKey;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the messages about files that cannot be used. */
class FilesTest {
  private static final String HASH = BCrypt.withDefaults().hashToString(4, "pw".toCharArray());

  @TempDir private Path directory;
  private Path web;
  private Path users;

  @BeforeEach
  void prepare() throws IOException {
    Tls.copy(directory, "server.pem", "server.key", "server2.key", "ca.pem");
    web = directory.resolve("web.yml");
    users = directory.resolve("users.yml");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '|',
      textBlock =
          """
          tls_server_config: {cert_file: server.pem}; key_file: is missing
          tls_server_config: {cert_file: none.pem, key_file: server.key}; there is no such file
          tls_server_config: {cert_file: server.pem, key_file: server2.key}; is not the key of the first certificate
          tls_server_config: {cert_file: server.key, key_file: server.key}; BEGIN CERTIFICATE
          tls_server_config: {cert_file: server.pem, cert: x, key_file: server.key}; exclude each other
          tls_server_config: {cert_file: server.pem, key_file: server.key, client_auth_type: Maybe}; is none of NoClientCert, RequestClientCert
          tls_server_config: {cert_file: server.pem, key_file: server.key, client_ca_file: ca.pem}; does not ask for client certificates
          tls_server_config: {cert_file: server.pem, key_file: server.key, client_auth_type: RequireAndVerifyClientCert}; client_ca_file: is missing
          tls_server_config: {cert_file: server.pem, key_file: server.key, min_version: TLS10}; no longer spoken by Java
          tls_server_config: {cert_file: server.pem, key_file: server.key, min_version: TLS13, max_version: TLS12}; is older than min_version
          tls_server_config: {cert_file: server.pem, key_file: server.key, cipher_suites: [TLS_NO]}; 'TLS_NO' is unknown
          tls_server_config: {cert_file: server.pem, key_file: server.key, curve_preferences: [P1]}; CurveP256, CurveP384, CurveP521, X25519
          tls_server_confg: {}; did you mean 'tls_server_config'?
          basic_auth_users: {ann: secret}; is no bcrypt hash
          basic_auth_users: {ann: $2b$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy}; has cost 31
          http_server_config: {headers: {X-Frame-Options: maybe}}; is none of deny, sameorigin
          http_server_config: {headers: {X-Other: a}}; X-Other: is unknown
          [a]; a mapping of keys and values is expected
          """)
  void saysWhereAWebConfigurationIsWrong(String text, String message) throws IOException {
    Files.writeString(web, text);
    assertThatThrownBy(() -> AccessRules.read(new AccessFiles(web, null, false)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("web.yml")
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '|',
      textBlock =
          """
          {}; nobody could use the server
          users: [{username: a, rights: [read]}]; has nothing to prove it with
          users: [{username: a, password: b}]; rights: are missing
          users: [{username: a, password: b, rights: [reed]}]; 'reed' is none of read, write, delete, admin
          users: [{password: b, rights: [read]}]; needs a username
          users: [{bearer_token: b, rights: [read]}]; name: is missing
          users: [{username: a, password: b, rights: [read]}, {username: a, password: c, rights: [read]}]; is that of another user too
          users: [{username: a, bearer_token: t, rights: [read]}, {username: b, bearer_token: t, rights: [read]}]; is that of another user too
          users: [{username: a, bearer_token: "", rights: [read]}]; is empty
          users: [{username: a, password: "", rights: [read]}]; password: is empty
          users: [{username: a, password: b, rights: [read], url_prefix: x}]; url_prefix: is unknown
          users: [{username: a, jwt: {}, rights: [read]}]; exactly one kind of keys is needed
          users: [{username: a, password: b, rights: [read], matchers: "sum(a)"}]; 'sum(a)' is no selector
          users: [{username: a, password: b, rights: [read], matchers: "a offset 5m"}]; is no selector
          users: [{username: a, password: b, rights: [read], matchers: "{a=~'('}"}]; is no selector
          users: [{username: a, password: b, rights: [read], matchers: "{}"}]; is no selector
          """)
  void saysWhereAUsersFileIsWrong(String text, String message) throws IOException {
    Files.writeString(users, text);
    assertThatThrownBy(() -> AccessRules.read(new AccessFiles(null, users, false)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("users.yml")
        .hasMessageContaining(message);
  }

  /** A connection may last longer than the certificate that it began with. */
  @Test
  void aCertificateProvesNothingOnceItHasExpired() throws Exception {
    Tls.copy(directory, "server.pem", "server.key", "ca.pem");
    Files.writeString(
        web,
        "tls_server_config: {cert_file: server.pem, key_file: server.key, client_auth_type:"
            + " VerifyClientCertIfGiven, client_ca_file: ca.pem}");
    Files.writeString(
        users, "users: [{name: a, client_certificate: collector.example, rights: [read]}]");
    AccessRules rules = AccessRules.read(new AccessFiles(web, users, false));
    assertThat(rules.withCertificate(Pem.certificates(Tls.pem("client.pem")).getFirst()))
        .isNotNull();
    assertThat(rules.withCertificate(Pem.certificates(Tls.pem("expired.pem")).getFirst())).isNull();
  }

  @Test
  void onlyUsersOfTheUsersFileHaveRights() throws IOException {
    Files.writeString(web, "basic_auth_users: {ann: %1$s, bob: %1$s}".formatted(HASH));
    Files.writeString(users, "users: [{username: ann, rights: [read]}]");
    AccessRules alone = AccessRules.read(new AccessFiles(web, null, false));
    assertThat(alone.names()).containsExactly("ann", "bob");
    AccessRules both = AccessRules.read(new AccessFiles(web, users, false));
    assertThat(both.password("ann").secret()).isEqualTo(HASH);
    assertThat(both.named("bob")).isNull();
    assertThat(both.password("bob").secret()).isNull();
  }

  @Test
  void aHalfWrittenFileSwitchesNothingOff() throws IOException {
    Files.writeString(web, "basic_auth_users: {ann: %s}".formatted(HASH));
    AccessRules rules = AccessRules.read(new AccessFiles(web, null, false));
    Files.writeString(web, "");
    assertThat(rules.cannotBecome(AccessRules.read(new AccessFiles(web, null, false))))
        .isEqualTo("authentication is switched off by a restart alone");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rsa-pkcs1.key", "rsa-pkcs8.key"})
  void readsKeysOfRsa(String name) throws GeneralSecurityException {
    assertThat(Pem.key(Tls.pem(name))).isEqualTo(Pem.key(Tls.pem("rsa-pkcs8.key")));
  }

  @Test
  void readsKeysOfCurves() throws GeneralSecurityException {
    ECPrivateKey wrapped = (ECPrivateKey) Pem.key(Tls.pem("server-sec1.key"));
    ECPrivateKey plain = (ECPrivateKey) Pem.key(Tls.pem("server.key"));
    assertThat(wrapped.getS()).isEqualTo(plain.getS());
    assertThat(wrapped.getParams().getOrder()).isEqualTo(plain.getParams().getOrder());
  }

  /** A server does not expose itself by a forgotten line. */
  @Test
  void refusesToListenWhereAnyoneCouldCome() throws IOException {
    List<Listener> all = List.of(new Listener("0.0.0.0", 0, Dialects.names(), null));
    try (TestServer server = new TestServer(directory.resolve("data"), null, "blocks")) {
      assertThatThrownBy(() -> server.with(AccessFiles.NONE, all))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("listen 0.0.0.0:0")
          .hasMessageContaining("allow-anonymous: true")
          .hasMessageContaining("--web.config.file");
      Files.writeString(web, "basic_auth_users: {ann: " + HASH + "}");
      server.with(new AccessFiles(web, null, false), all);
      assertThat(server.get("/api/v1/query?query=1").statusCode()).isEqualTo(401);
      assertThat(server.get("/-/healthy").statusCode()).isEqualTo(200);
      // Users that vanish would open the server: what was read before stays.
      Files.writeString(web, "{}");
      assertThatThrownBy(() -> server.server().reload()).isInstanceOf(ConfigException.class);
      assertThat(server.get("/api/v1/query?query=1").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void refusesAFeedThatNobodyIsBehind() throws IOException {
    Files.writeString(web, "basic_auth_users: {ann: " + HASH + "}");
    Listener http = new Listener("127.0.0.1", 0, Dialects.names(), null);
    Feed graphite = new Feed.Graphite(false, List.of());
    try (TestServer server = new TestServer(directory.resolve("data"), null, "blocks")) {
      AccessFiles files = new AccessFiles(web, null, false);
      Listener anyone = new Listener("127.0.0.1", 0, List.of(), null, graphite);
      assertThatThrownBy(() -> server.with(files, List.of(http, anyone)))
          .hasMessageContaining("say 'as: USER'");
      Listener nobody = new Listener("127.0.0.1", 0, List.of(), null, graphite, "bob");
      assertThatThrownBy(() -> server.with(files, List.of(http, nobody)))
          .hasMessageContaining("there is no user 'bob'; known are: ann");
    }
  }
}
