package dev.varve.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.varve.server.TestServer;
import dev.varve.server.config.ConfigException;
import dev.varve.server.http.Caller;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens of an issuer that publishes its keys. */
class OidcTest {
  private static final KeyPair FIRST = Tokens.ofCurve("secp256r1");
  private static final KeyPair SECOND = Tokens.ofCurve("secp256r1");
  private static final Issuer.Pace FAST =
      new Issuer.Pace(Duration.ofMinutes(1), Duration.ofMillis(50), Duration.ofSeconds(5));
  private static final Issuer.Pace SLOW =
      new Issuer.Pace(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(5));

  private final AtomicInteger fetches = new AtomicInteger();
  private volatile String keys = Tokens.set(List.of(Tokens.jwk("one", FIRST.getPublic())));
  private volatile String named = "";
  private volatile String place = "/keys";
  private volatile int status = 200;
  private HttpServer web;
  private String issuer = "";
  private @Nullable JwtLogins logins;

  @TempDir private Path folder;

  @BeforeEach
  void start() throws IOException {
    web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    issuer = "http://127.0.0.1:" + web.getAddress().getPort() + "/realm";
    web.createContext(
        "/realm/.well-known/openid-configuration",
        exchange ->
            answer(
                exchange,
                "{\"issuer\":\"%s\",\"jwks_uri\":\"%s\"}"
                    .formatted(
                        named.isEmpty() ? issuer : named,
                        place.startsWith("/") ? issuer + place : place)));
    web.createContext(
        "/realm/keys",
        exchange -> {
          fetches.incrementAndGet();
          if (status == 302) {
            exchange.getResponseHeaders().set("Location", issuer + "/elsewhere");
          }
          answer(exchange, keys);
        });
    web.createContext(
        "/realm/elsewhere",
        exchange -> {
          status = 200;
          answer(exchange, keys);
        });
    web.start();
  }

  @AfterEach
  void stop() {
    if (logins != null) {
      logins.close();
    }
    web.stop(0);
  }

  private void answer(HttpExchange exchange, String text) throws IOException {
    byte[] body = text.getBytes(UTF_8);
    boolean keySet = exchange.getRequestURI().getPath().endsWith("keys");
    exchange.sendResponseHeaders(keySet ? status : 200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    } catch (IOException e) {
      // The client has had enough.
    }
  }

  private List<User> users(Issuer.Pace pace) throws IOException {
    Path file = folder.resolve("users.yml");
    Files.writeString(file, text());
    List<User> users = UsersFile.read(file, Map.of());
    JwtLogins opened = new JwtLogins(Clock.systemUTC(), pace);
    opened.use(users);
    logins = opened;
    return users;
  }

  private String text() {
    return """
    users:
    - name: robot
      rights: [read]
      jwt: {oidc: {issuer: '%s'}, audience: varve}
    """
        .formatted(issuer);
  }

  private String token(KeyPair pair, String id) {
    long exp = System.currentTimeMillis() / 1000 + 100;
    return token(pair, id, exp, issuer);
  }

  private static String token(KeyPair pair, String id, long exp, String iss) {
    return Tokens.signed(
        "ES256",
        pair.getPrivate(),
        ",\"kid\":\"%s\"".formatted(id),
        "{\"iss\":\"%s\",\"aud\":\"varve\",\"exp\":%d}".formatted(iss, exp));
  }

  private @Nullable Caller caller(String token, List<User> users) throws InterruptedException {
    JwtLogins open = Objects.requireNonNull(logins);
    // Requests wait on virtual threads alone.
    var result = new CompletableFuture<@Nullable Caller>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            result.complete(open.verify(token, users).caller());
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        })
        .join();
    try {
      return result.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof HttpError error ? error : e;
    }
  }

  @Test
  void fetchesKeysAndFetchesThemAgainForANewOne() throws Exception {
    List<User> users = users(FAST);
    assertThat(caller(token(FIRST, "one"), users)).isNotNull();
    assertThat(caller(token(SECOND, "one"), users)).isNull();
    keys = Tokens.set(List.of(Tokens.jwk("two", SECOND.getPublic())));
    Thread.sleep(60);
    assertThat(caller(token(SECOND, "two"), users)).isNotNull();
    assertThat(caller(token(FIRST, "one"), users)).isNull();
  }

  @Test
  void unknownKeysDoNotMakeItFetchMoreOften() throws Exception {
    List<User> users = users(SLOW);
    assertThat(caller(token(FIRST, "one"), users)).isNotNull();
    long start = System.nanoTime();
    for (int i = 0; i < 50; i++) {
      assertThat(caller(token(FIRST, "unknown" + i), users)).isNull();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
    assertThat(fetches).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"named", "scheme", "redirect", "endless", "garbage", "error", "no keys"})
  void takesNoKeysFromAnIssuerThatAnswersWrongly(String wrong) throws Exception {
    switch (wrong) {
      case "named" -> named = "https://other.example.com";
      case "scheme" -> place = "file:///etc/keys";
      case "redirect" -> status = 302;
      case "endless" -> keys = " ".repeat(Issuer.ANSWER_MAX) + "{}";
      case "garbage" -> keys = "<html>";
      case "error" -> status = 500;
      default -> keys = "{\"keys\":[]}";
    }
    List<User> users = users(SLOW);
    assertThatThrownBy(() -> caller(token(FIRST, "one"), users))
        .isInstanceOfSatisfying(
            HttpError.class, error -> assertThat(error.status()).isEqualTo(503));
  }

  /** Whoever can change keys on their way to the server can sign tokens of every user. */
  @ParameterizedTest
  @CsvSource({
    "https://login.example.com, https://keys.example.com/set, true",
    "https://login.example.com, http://127.0.0.1/set, false",
    "http://127.0.0.1:8080/realm, http://127.0.0.1:8081/set, true",
    "http://127.0.0.1:8080/realm, http://localhost/set, true",
    "http://127.0.0.1:8080/realm, http://[::1]/set, true",
    "http://127.0.0.1:8080/realm, https://keys.example.com/set, true",
    "http://127.0.0.1:8080/realm, http://keys.example.com/set, false",
    "http://127.0.0.1:8080/realm, http://192.0.2.1/set, false",
    "http://127.0.0.1:8080/realm, file:///etc/keys, false",
  })
  void fetchesKeysOnlyWhereNobodyInBetweenCanChangeThem(URI issuer, URI place, boolean fetches) {
    assertThat(Issuer.objection(issuer, place) == null).isEqualTo(fetches);
  }

  @Test
  void authoritiesOfAnIssuerAreReadAgainWhenTheyChange() throws IOException {
    Path authorities = folder.resolve("ca.pem");
    Files.writeString(authorities, Tls.pem("ca.pem"));
    Path file = folder.resolve("users.yml");
    Files.writeString(
        file, text().replace("'}, audience", "', ca_file: %s}, audience".formatted(authorities)));
    assertThat(AccessRules.read(new AccessFiles(null, file, false)).files())
        .containsExactly(authorities);
  }

  @Test
  void keepsItsKeysWhileTheIssuerIsDown() throws Exception {
    List<User> users = users(FAST);
    assertThat(caller(token(FIRST, "one"), users)).isNotNull();
    status = 500;
    Thread.sleep(60);
    assertThat(caller(token(SECOND, "two"), users)).isNull();
    assertThat(caller(token(FIRST, "one"), users)).isNotNull();
  }

  /** Each dialect says no in its own shape to tokens that are expired or foreign. */
  @Test
  void aServerTakesTokensOfTheIssuer() throws Exception {
    Path file = folder.resolve("users.yml");
    Files.writeString(file, text());
    TestServer server = new TestServer(folder.resolve("data"), null, "blocks");
    try (server) {
      server.with(new AccessFiles(null, file, false), List.of());
      String live = token(FIRST, "one");
      await()
          .untilAsserted(() ->
              assertThat(ask(server, "/api/v1/query?query=1", live).statusCode()).isEqualTo(200));
      assertThat(ask(server, "/api/v1/admin/killquery/x", live).statusCode()).isEqualTo(403);
      long now = System.currentTimeMillis() / 1000;
      String expired = token(FIRST, "one", now - 100, issuer);
      String foreign = token(SECOND, "one", now + 100, issuer);
      String other = token(FIRST, "one", now + 100, "https://other.example.com");
      Map<String, String> shapes =
          Map.of(
              "/api/v1/query", "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"",
              "/api/v1/metricnames", "{\"errors\":[\"",
              "/api/suggest", "{\"error\":{\"code\":401,\"message\":\"",
              "/query", "{\"code\":\"unauthorized\",\"message\":\"",
              "/heroic/status", "\"status\":401",
              "/varve/v1/dataset", "{\"error\":\"");
      shapes.forEach((path, shape) -> {
        for (String token : List.of(expired, foreign, other)) {
          HttpResponse<String> answer = ask(server, path, token);
          assertThat(answer.statusCode()).as(path).isEqualTo(401);
          assertThat(answer.body())
              .contains(shape)
              .contains(token.equals(expired) ? "has expired" : JwtLogins.FOREIGN)
              .doesNotContain(token.split("\\.", 0)[1]);
          assertThat(answer.headers().firstValue("WWW-Authenticate").orElse(""))
              .contains("Bearer", "invalid_token");
        }
      });
      // A bad file keeps the old one in force.
      Files.writeString(file, text().replace("audience: varve", "skip_verify: true"));
      assertThatThrownBy(() -> server.server().reload()).isInstanceOf(ConfigException.class);
      assertThat(ask(server, "/api/v1/query?query=1", live).statusCode()).isEqualTo(200);
    }
  }

  private static HttpResponse<String> ask(TestServer server, String path, String token) {
    return server.send(server.request(path).header("Authorization", "Bearer " + token));
  }
}
