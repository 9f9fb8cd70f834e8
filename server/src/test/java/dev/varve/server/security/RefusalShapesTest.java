package dev.varve.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.AccessCheck;
import dev.varve.server.AccessCheck.Endpoint;
import dev.varve.server.TestServer;
import dev.varve.server.http.ConnectionLimits;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.TrustedProxies;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each way not to be let in, at every endpoint: the status, and the error in its dialect's form.
 */
class RefusalShapesTest {
  private static final Map<String, String> SHAPES =
      Map.ofEntries(
          Map.entry(
              "prometheus", "\\{\"status\":\"error\",\"errorType\":\"[a-z_]+\",\"error\":\".*"),
          Map.entry("kairosdb", "\\{\"errors\":\\[\".*"),
          Map.entry("opentsdb", "\\{\"error\":\\{\"code\":S,\"message\":\".*"),
          Map.entry("influx", "\\{\"code\":\"[a-z]+\",\"message\":\".*"),
          Map.entry("otlp", "\\{\"code\":(16|7),\"message\":\".*"),
          Map.entry("heroic", "\\{\"message\":\".*\"status\":S.*"),
          Map.entry("varve", "\\{\"error\":\".*"),
          Map.entry("operations", ".*"),
          Map.entry("queries", "\\{\"status\":\"error\",\"errorType\":\"[a-z_]+\",\"error\":\".*"),
          Map.entry("damage", "\\{\"status\":\"error\",\"errorType\":\"[a-z_]+\",\"error\":\".*"),
          Map.entry("snapshot", "\\{\"status\":\"error\",\"msg\":\".*"),
          Map.entry("console", ".*"));

  private static final KeyPair KNOWN = Tokens.ofCurve("secp256r1");
  private static final KeyPair FOREIGN = Tokens.ofCurve("secp256r1");

  @TempDir private static Path directory;
  private static TestServer server;
  private static HttpClient client;
  private static Issued authority;
  private static final AtomicInteger requests = new AtomicInteger();

  /** Proofs by what is wrong with them, for status 401. */
  private static final Map<String, String> NO_PROOFS = new LinkedHashMap<>();

  static {
    long now = System.currentTimeMillis() / 1000;
    NO_PROOFS.put("nothing", "");
    NO_PROOFS.put("wrong password", basic("all", "wrong"));
    NO_PROOFS.put("wrong token", "Bearer wrong");
    NO_PROOFS.put("expired JWT", "Bearer " + jwt(KNOWN, now - 60));
    NO_PROOFS.put("foreign JWT", "Bearer " + jwt(FOREIGN, now + 600));
    NO_PROOFS.put(
        "unsigned JWT",
        "Bearer %s.%s."
            .formatted(
                Tokens.encoded("{\"alg\":\"none\"}"), Tokens.encoded("{\"exp\":9999999999}")));
  }

  private static String jwt(KeyPair pair, long exp) {
    return Tokens.signed("ES256", pair.getPrivate(), "", "{\"exp\":%d}".formatted(exp));
  }

  private static String basic(String user, String password) {
    String proof = user + ":" + password;
    return "Basic " + Base64.getEncoder().encodeToString(proof.getBytes(UTF_8));
  }

  @BeforeAll
  static void start() throws IOException {
    ConnectionLimits some = ConnectionLimits.DEFAULTS;
    // Each request comes for another client, since failed logins of one are limited.
    server =
        TestServer.withConnections(
            directory.resolve("data"),
            new ConnectionLimits(
                some.max(),
                some.max(),
                some.lines(),
                some.reserve(),
                some.header(),
                some.idle(),
                some.linesIdle(),
                some.minRate(),
                some.grace(),
                TrustedProxies.of(List.of("127.0.0.0/8", "::1"))));
    Tls.copy(directory, "server.pem", "server.key");
    authority = Issued.authority();
    Files.writeString(directory.resolve("ca.pem"), authority.pem());
    Path web = directory.resolve("web.yml");
    Files.writeString(
        web,
        "tls_server_config: {cert_file: server.pem, key_file: server.key, client_auth_type:"
            + " VerifyClientCertIfGiven, client_ca_file: ca.pem}");
    Path users = directory.resolve("users.yml");
    Files.writeString(
        users,
        """
        users:
        - {username: all, password: pw-all, rights: [read, write, delete, admin], datasets: [buckets]}
        - {username: none, password: pw-none, rights: []}
        - {name: collector, client_certificate: collector.example, rights: [read, write]}
        - name: robot
          rights: [read, write, delete, admin]
          jwt:
            public_keys:
            - |
        """
            + Tokens.pem(KNOWN.getPublic()).indent(6));
    server.with(new AccessFiles(web, users, false), List.of());
    client = HttpClient.newBuilder().sslContext(Tls.client(null)).build();
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  private static Stream<Endpoint> endpoints() {
    return AccessCheck.endpoints().stream()
        .filter(endpoint -> endpoint.route().right() != Right.OPEN);
  }

  /** Returns an endpoint that answers 400 to whom it lets in, since the query is missing. */
  private static Endpoint query() {
    return endpoints()
        .filter(endpoint -> endpoint.route().path().equals("/api/v1/query"))
        .findFirst()
        .orElseThrow();
  }

  private static HttpResponse<String> ask(Endpoint endpoint, String proof, String dataset) {
    int asked = requests.incrementAndGet();
    return ask(client, endpoint, proof, dataset, "10.0.%d.%d".formatted(asked >> 8, asked & 0xff));
  }

  private static HttpResponse<String> ask(
      HttpClient by, Endpoint endpoint, String proof, String dataset, String address) {
    Route route = endpoint.route();
    String path = route.path().replace(Route.REST, "x/y").replace(Route.ANY, "x");
    boolean ofServer = RightsTest.OF_SERVER.contains(endpoint.dialect());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(
                    "https://localhost:%d%s%s"
                        .formatted(server.port(), ofServer ? "" : "/" + endpoint.dialect(), path)))
            .timeout(Duration.ofSeconds(20))
            .method(route.method(), HttpRequest.BodyPublishers.noBody())
            .header("X-Varve-Dataset", dataset)
            .header("X-Forwarded-For", address);
    if (!proof.isEmpty()) {
      request.header("Authorization", proof);
    }
    try {
      return by.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void check(
      Endpoint endpoint, String what, HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(what + ": " + answer.body()).isEqualTo(status);
    String shape =
        Objects.requireNonNull(SHAPES.get(endpoint.dialect()), endpoint.dialect())
            .replace("S", Integer.toString(status));
    assertThat(answer.body()).as(what).matches("(?s)" + shape).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void refusesInTheFormOfTheDialect(Endpoint endpoint) {
    NO_PROOFS.forEach((what, proof) -> {
      HttpResponse<String> answer = ask(endpoint, proof, "buckets");
      check(endpoint, what, answer, 401);
      String token = proof.substring(proof.indexOf(' ') + 1);
      if (token.length() > 10) {
        assertThat(answer.body()).doesNotContain(token);
      }
      assertThat(answer.headers().firstValue("WWW-Authenticate")).isPresent();
    });
    check(endpoint, "wrong dataset", ask(endpoint, basic("all", "pw-all"), "blocks"), 403);
    if (endpoint.route().right() != Right.LOGIN) {
      check(endpoint, "wrong right", ask(endpoint, basic("none", "pw-none"), "buckets"), 403);
    }
  }

  /** A certificate that was verified when its connection began proves nothing once it expires. */
  @Test
  void anExpiredCertificateIsRefusedInTheFormOfTheDialect() throws InterruptedException {
    Issued brief = authority.client("collector.example", Instant.now().plusSeconds(5));
    try (HttpClient clients = HttpClient.newBuilder().sslContext(Tls.clientWith(brief)).build()) {
      assertThat(ask(clients, query(), "", "buckets", "10.1.0.1").statusCode()).isEqualTo(400);
      brief.expire();
      endpoints()
          .forEach(endpoint ->
              check(
                  endpoint,
                  "expired certificate of " + endpoint,
                  ask(clients, endpoint, "", "buckets", "10.1.0.1"),
                  401));
    }
  }
}
