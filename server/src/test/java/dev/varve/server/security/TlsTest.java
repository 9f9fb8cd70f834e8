package dev.varve.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.varve.server.Dialects;
import dev.varve.server.ServerConfig.Feed;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.TestServer;
import dev.varve.server.config.ConfigException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Encrypted ports: certificates of both sides, and their change while the server runs. */
class TlsTest {
  @TempDir private Path directory;
  private TestServer server;
  private Path config;

  @BeforeEach
  void start() throws IOException {
    server = new TestServer(directory.resolve("data"), null, "blocks");
    config = directory.resolve("web.yml");
    Tls.copy(directory, "server.pem", "server.key", "ca.pem");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void serve(String more, Listener... listeners) throws IOException {
    Files.writeString(
        config, "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n" + more);
    server.with(new AccessFiles(config, null, false), List.of(listeners));
  }

  private HttpResponse<String> get(@Nullable String client, String path) throws IOException {
    return get(Tls.client(client), path, null);
  }

  private HttpResponse<String> get(SSLContext context, String path, @Nullable String user)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + path))
            .timeout(Duration.ofSeconds(20));
    if (user != null) {
      String proof = Base64.getEncoder().encodeToString(user.getBytes(UTF_8));
      request.header("Authorization", "Basic " + proof);
    }
    try (HttpClient http = HttpClient.newBuilder().sslContext(context).build()) {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void writesAndReadsThroughTls() throws Exception {
    serve("http_server_config:\n  headers:\n    X-Content-Type-Options: nosniff\n");
    try (HttpClient http = HttpClient.newBuilder().sslContext(Tls.client(null)).build()) {
      // Longer than several records.
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < 5_000; i++) {
        lines.append("cpu{host=\"h%d\"} %d 1700000000000\n".formatted(i, i));
      }
      HttpRequest write =
          HttpRequest.newBuilder(
                  URI.create("https://localhost:" + server.port() + "/api/v1/import/prometheus"))
              .POST(HttpRequest.BodyPublishers.ofString(lines.toString()))
              .build();
      HttpResponse<String> written = http.send(write, HttpResponse.BodyHandlers.ofString());
      assertThat(written.statusCode()).as(written.body()).isEqualTo(204);
    }
    HttpResponse<String> read = get(null, "/api/v1/query?query=cpu&time=1700000001");
    assertThat(read.body()).contains("\"h4999\"").hasSizeGreaterThan(300_000);
    assertThat(read.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
  }

  @Test
  void takesNoPlaintext() throws IOException {
    serve("");
    for (String sent : List.of("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n", "version\n")) {
      try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        plain.setSoTimeout(10_000);
        plain.getOutputStream().write(sent.getBytes(UTF_8));
        byte[] answer = plain.getInputStream().readAllBytes();
        assertThat(new String(answer, UTF_8)).doesNotContain("HTTP/", "healthy", "net.opentsdb");
      } catch (SocketException reset) {
        assertThat(reset).hasMessageContaining("reset");
      }
    }
  }

  /** The client judges whether the name fits: it may know the server by another. */
  @Test
  void answersUnderAnyName() throws Exception {
    serve("");
    try (SSLSocket socket =
        (SSLSocket) Tls.client(null).getSocketFactory().createSocket("127.0.0.1", server.port())) {
      socket.setSoTimeout(10_000);
      socket
          .getOutputStream()
          .write(
              "GET /-/healthy HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n"
                  .getBytes(UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void telnetIsSpokenBelowTls() throws Exception {
    serve("");
    try (SSLSocket socket =
        (SSLSocket) Tls.client(null).getSocketFactory().createSocket("localhost", server.port())) {
      socket.setSoTimeout(10_000);
      OutputStream out = socket.getOutputStream();
      out.write("put temp 1700000000 7 host=a\nversion\nexit\n".getBytes(UTF_8));
      out.flush();
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .contains("net.opentsdb");
    }
    await()
        .untilAsserted(() ->
            assertThat(get(null, "/api/v1/query?query=temp&time=1700000001").body())
                .contains("[1700000001,\"7\"]"));
  }

  /** Which clients each mode lets in: without a certificate, with a good, foreign, expired one. */
  @ParameterizedTest
  @CsvSource({
    "NoClientCert,               true,  true,  true,  true",
    "RequestClientCert,          true,  true,  true,  true",
    "RequireAnyClientCert,       false, true,  true,  true",
    "VerifyClientCertIfGiven,    true,  true,  false, false",
    "RequireAndVerifyClientCert, false, true,  false, false",
  })
  void letsClientsInByMode(
      String mode, boolean none, boolean good, boolean foreign, boolean expired) throws Exception {
    boolean trusts = !mode.equals("NoClientCert");
    serve("  client_auth_type: %s\n%s".formatted(mode, trusts ? "  client_ca_file: ca.pem\n" : ""));
    assertThat(isIn(null)).as("none").isEqualTo(none);
    assertThat(isIn("client")).as("good").isEqualTo(good);
    assertThat(isIn("foreign")).as("foreign").isEqualTo(foreign);
    assertThat(isIn("expired")).as("expired").isEqualTo(expired);
  }

  /** A client offers a certificate even if the server does not name its signer. */
  private boolean isIn(@Nullable String client) throws IOException {
    try {
      return get(client == null ? Tls.client(null) : Offered.always(client), "/-/healthy", null)
              .statusCode()
          == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whoever is in the network can make a page of the same host without TLS. */
  @Test
  void aPageOfTheSameHostWithoutTlsChangesNothing() throws Exception {
    serve("");
    for (String scheme : List.of("https", "http")) {
      String page = scheme + "://localhost:" + server.port();
      try (HttpClient http = HttpClient.newBuilder().sslContext(Tls.client(null)).build()) {
        HttpRequest reload =
            HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/-/reload"))
                .header("Origin", page)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(http.send(reload, HttpResponse.BodyHandlers.ofString()).statusCode())
            .as(page)
            .isEqualTo(scheme.equals("https") ? 200 : 403);
      }
    }
  }

  @Test
  void asksForOneOfTheAllowedNames() throws IOException {
    String verify =
        """
          client_auth_type: RequireAndVerifyClientCert
          client_ca_file: ca.pem
          client_allowed_sans: [%s]
        """;
    serve(verify.formatted("other.example, collector.example"));
    assertThat(get("client", "/-/healthy").statusCode()).isEqualTo(200);
    serve(verify.formatted("other.example"));
    assertThatThrownBy(() -> get("client", "/-/healthy")).isInstanceOf(IOException.class);
  }

  @Test
  void aVerifiedCertificateIsALoginUnlessThereAreUsers() throws IOException {
    String verify = "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.pem\n";
    serve(verify);
    assertThat(get("client", "/api/v1/query?query=1").statusCode()).isEqualTo(200);
    serve(
        verify
            + "basic_auth_users:\n  ann: "
            + BCrypt.withDefaults().hashToString(4, "pw".toCharArray())
            + "\n");
    assertThat(get("client", "/api/v1/query?query=1").statusCode()).isEqualTo(401);
    assertThat(get(Tls.client("client"), "/api/v1/query?query=1", "ann:pw").statusCode())
        .isEqualTo(200);
  }

  @Test
  void speaksTheVersionsThatAreConfigured() throws Exception {
    serve(
        """
          min_version: TLS12
          max_version: TLS12
          curve_preferences: [CurveP256]
          cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]
        """);
    try (SSLSocket socket =
        (SSLSocket) Tls.client(null).getSocketFactory().createSocket("localhost", server.port())) {
      socket.startHandshake();
      assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.2");
      assertThat(socket.getSession().getCipherSuite())
          .isEqualTo("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
    }
    serve("  min_version: TLS13\n");
    try (SSLSocket socket =
        (SSLSocket) Tls.client(null).getSocketFactory().createSocket("localhost", server.port())) {
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
    }
  }

  @Test
  void readsACertificateAgainAndKeepsTheOldOneIfTheNewOneIsBad() throws Exception {
    serve("");
    String first = serial();
    // Key and certificate are replaced one after the other; the mismatch between must do no harm.
    replace("server.pem", Tls.pem("server2.pem"));
    await().untilAsserted(() -> assertThat(failures()).isGreaterThan(0));
    assertThat(serial()).isEqualTo(first);
    replace("server.key", Tls.pem("server2.key"));
    await().untilAsserted(() -> assertThat(serial()).isNotEqualTo(first));
    String second = serial();
    replace("server.key", "rubbish");
    assertThatThrownBy(() -> server.server().reload())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("key_file")
        .hasMessageContaining("BEGIN PRIVATE KEY");
    assertThat(serial()).isEqualTo(second);
    assertThat(get(null, "/metrics").body()).contains("varve_access_last_reload_successful 0.0");
  }

  private double failures() throws IOException {
    for (String line : get(null, "/metrics").body().lines().toList()) {
      if (line.startsWith("varve_access_reload_failures_total ")) {
        return Double.parseDouble(line.substring(line.indexOf(' ')));
      }
    }
    throw new AssertionError("no such metric");
  }

  private void replace(String name, String text) throws IOException {
    Path next = directory.resolve("next");
    Files.writeString(next, text);
    Files.setLastModifiedTime(next, FileTime.from(Instant.now().plusSeconds(5)));
    Files.move(
        next,
        directory.resolve(name),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  private String serial() throws IOException {
    try (SSLSocket socket =
        (SSLSocket) Tls.client(null).getSocketFactory().createSocket("localhost", server.port())) {
      socket.startHandshake();
      return socket.getSession().getPeerCertificates()[0].toString();
    }
  }

  @Test
  void aFeedNeedsACertificateOfAUserOrSaysAsWhomItWrites() throws Exception {
    Feed graphite = new Feed.Graphite(false, List.of());
    String users =
        """
        users:
        - {username: ann, password: secret, rights: [read, write]}
        - {name: collector, client_certificate: collector.example, rights: [write]}
        - {name: reader, bearer_token: abc, rights: [read]}
        """;
    Path usersFile = directory.resolve("users.yml");
    Files.writeString(usersFile, users);
    Files.writeString(
        config,
        "tls_server_config: {cert_file: server.pem, key_file: server.key, client_auth_type:"
            + " VerifyClientCertIfGiven, client_ca_file: ca.pem}\n");
    Listener http = new Listener("127.0.0.1", 0, Dialects.names(), null);
    server.with(
        new AccessFiles(config, usersFile, false),
        List.of(
            http,
            new Listener("127.0.0.1", 0, List.of(), null, graphite),
            new Listener("127.0.0.1", 0, List.of(), null, graphite, "ann"),
            new Listener("127.0.0.1", 0, List.of(), null, new Feed.Telnet(), "reader")));
    feed(1, null, "by.nobody 1 1700000000\n");
    feed(1, "client", "by.certificate 2 1700000000\n");
    feed(2, null, "by.name 3 1700000000\n");
    assertThat(feed(3, null, "put by.reader 1700000000 4 host=a\n"))
        .contains("user 'reader' may not write here");
    // Lines on a port of HTTP are refused, whoever sends them.
    assertThat(feed(0, "client", "put by.http 1700000000 4 host=a\n"))
        .contains("this server authenticates");
    await()
        .untilAsserted(() ->
            assertThat(get(Tls.client(null), "/api/v1/label/__name__/values", "ann:secret").body())
                .contains("by.certificate", "by.name")
                .doesNotContain("by.nobody", "by.reader", "by.http"));
  }

  /** Connections of feeds last for days, and must not outlast the rights of their senders. */
  @Test
  void aFeedEndsWhenItsSenderMayNoLongerWrite() throws Exception {
    Issued authority = Issued.authority();
    Files.writeString(directory.resolve("ca.pem"), Tls.pem("ca.pem") + authority.pem());
    Files.writeString(
        config,
        "tls_server_config: {cert_file: server.pem, key_file: server.key, client_auth_type:"
            + " VerifyClientCertIfGiven, client_ca_file: ca.pem}\n");
    Path users = directory.resolve("users.yml");
    Files.writeString(users, users("rights: [write]"));
    Listener http = new Listener("127.0.0.1", 0, Dialects.names(), null);
    Feed[] feeds = {new Feed.Telnet(), new Feed.Graphite(false, List.of()), new Feed.Influx("ns")};
    List<Listener> listeners = new ArrayList<>(List.of(http));
    for (Feed feed : feeds) {
      listeners.add(new Listener("127.0.0.1", 0, List.of(), null, feed));
    }
    server.with(new AccessFiles(config, users, false), listeners);
    List<String> lines =
        List.of(
            "put %s 1700000000 1 host=a\n", "%s 1 1700000000\n", "%s v=1 1700000000000000000\n");
    for (String change :
        List.of(
            "rights: []",
            "rights: [write], datasets: [elsewhere]",
            "rights: [write], matchers: m")) {
      List<SSLSocket> open = new ArrayList<>();
      for (int i = 0; i < feeds.length; i++) {
        open.add(opened(i + 1, Tls.client("client")));
        send(open.get(i), lines.get(i).formatted("before" + i));
      }
      awaitStored("before0", "before1", "before2");
      Files.writeString(users, users(change));
      server.server().reload();
      for (int i = 0; i < feeds.length; i++) {
        send(open.get(i), lines.get(i).formatted("after" + i));
        open.get(i).shutdownOutput();
        String answer = new String(open.get(i).getInputStream().readAllBytes(), UTF_8);
        if (!change.contains("matchers")) {
          assertThat(answer).isEqualTo("error: user 'collector' may not write here\n");
        }
        open.get(i).close();
      }
      Files.writeString(users, users("rights: [write]"));
      server.server().reload();
    }
    Issued brief = authority.client("collector.example", Instant.now().plusSeconds(5));
    try (SSLSocket socket = opened(2, Tls.clientWith(brief))) {
      send(socket, "brief 1 1700000000\n");
      awaitStored("brief");
      brief.expire();
      send(socket, "after 1 1700000000\n");
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .isEqualTo("error: the certificate of the connection has expired\n");
    }
    assertThat(stored()).doesNotContain("after");
  }

  private static String users(String collector) {
    return """
    users:
    - {username: ann, password: secret, rights: [read]}
    - {name: collector, client_certificate: collector.example, %s}
    """
        .formatted(collector);
  }

  private SSLSocket opened(int port, SSLContext context) throws IOException {
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("localhost", server.ports().get(port));
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static void send(SSLSocket socket, String line) throws IOException {
    socket.getOutputStream().write(line.getBytes(UTF_8));
    socket.getOutputStream().flush();
  }

  private void awaitStored(String... metrics) {
    await().untilAsserted(() -> assertThat(stored()).contains(metrics));
  }

  private String stored() throws IOException {
    return get(Tls.client(null), "/api/v1/label/__name__/values", "ann:secret").body();
  }

  private String feed(int port, @Nullable String client, String line) throws IOException {
    try (SSLSocket socket =
        (SSLSocket)
            Tls.client(client)
                .getSocketFactory()
                .createSocket("localhost", server.ports().get(port))) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(line.getBytes(UTF_8));
      socket.getOutputStream().flush();
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
