package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.security.AccessFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** Commands beside a server with TLS and users, and decisions without one. */
class SecureServerTest {
  private static final Path CERTIFICATES =
      Path.of("../server/src/test/resources/dev/varve/server/tls");

  private static final String USERS =
      """
      users:
      - {username: reads, password: r, rights: [read]}
      - {username: all, password: a, rights: [read, write, delete, admin]}
      - {name: token, bearer_token: t0ken, rights: [read, write], datasets: [default]}
      - {name: collector, client_certificate: collector.example, rights: [read]}
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final ListAppender<ILoggingEvent> audit = new ListAppender<>();
  @TempDir private Path folder;
  private Engine engine;
  private Server server;
  private String address;

  @BeforeEach
  void start() throws IOException {
    for (String name : List.of("server.pem", "server.key", "ca.pem", "client.pem", "client.key")) {
      Files.copy(CERTIFICATES.resolve(name), folder.resolve(name));
    }
    Path web =
        Files.writeString(
            folder.resolve("web.yml"),
            "tls_server_config: {cert_file: server.pem, key_file: server.key, client_auth_type:"
                + " VerifyClientCertIfGiven, client_ca_file: ca.pem}");
    Path users = Files.writeString(folder.resolve("users.yml"), USERS);
    DatasetConfig dataset = DatasetConfig.of("default", Layouts.of("buckets", Map.of()));
    engine =
        Engine.open(
            new EngineConfig(folder.resolve("data"), 64 << 20, List.of(dataset), "default"));
    ServerConfig config =
        new ServerConfig(
                List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
                ServerConfig.DEFAULTS.http(),
                ServerConfig.DEFAULTS.query(),
                null,
                null,
                null)
            .with(new AccessFiles(web, users, false));
    server = Server.start(config, engine);
    address = "https://localhost:" + server.ports().getFirst();
    audit.start();
    ((Logger) LoggerFactory.getLogger("varve.audit")).addAppender(audit);
  }

  @AfterEach
  void stop() {
    ((Logger) LoggerFactory.getLogger("varve.audit")).detachAppender(audit);
    server.close();
    engine.close();
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private String http(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text + "\ntls_config: {ca_file: ca.pem}\n")
        .toString();
  }

  @Test
  void commandsLogInByAFile() throws IOException {
    String all = http("all.yml", "basic_auth: {username: all, password: a}");
    String point = "{\"metric\":\"m\",\"time\":1700000000000,\"value\":7}";
    assertThat(run("put", point, "--server", address, "--http.config.file", all))
        .as(err.toString())
        .isZero();
    Files.writeString(folder.resolve("secret"), "t0ken\n");
    String token = http("token.yml", "authorization: {credentials_file: secret}");
    String[] query = {
      "query",
      "m",
      "--from",
      "2023-01-01T00:00:00Z",
      "--to",
      "2024-01-01T00:00:00Z",
      "--server",
      address,
      "--http.config.file"
    };
    assertThat(run(with(query, token))).as(err.toString()).isZero();
    assertThat(out.toString()).contains("7");
    String certificate =
        Files.writeString(
                folder.resolve("cert.yml"),
                "tls_config: {ca_file: ca.pem, cert_file: client.pem, key_file: client.key}")
            .toString();
    assertThat(run(with(query, certificate))).as(err.toString()).isZero();
    assertThat(out.toString()).contains("7");
  }

  private static String[] with(String[] command, String last) {
    String[] whole = Arrays.copyOf(command, command.length + 1);
    whole[command.length] = last;
    return whole;
  }

  @Test
  void saysWhyACommandIsRefused() throws IOException {
    String reads = http("reads.yml", "basic_auth: {username: reads, password: r}");
    String point = "{\"metric\":\"m\",\"time\":1700000000000,\"value\":7}";
    assertThat(run("put", point, "--server", address, "--http.config.file", reads)).isEqualTo(1);
    assertThat(err.toString()).contains("user 'reads' has no right to write");
    String wrong = http("wrong.yml", "basic_auth: {username: reads, password: x}");
    assertThat(run("queries", "--server", address, "--http.config.file", wrong)).isEqualTo(1);
    assertThat(err.toString()).contains("are wrong").doesNotContain("Exception");
    assertThat(run("queries", "--server", address)).isEqualTo(1);
    assertThat(err.toString()).contains("the server at " + address + " failed");
    String unknown = http("unknown.yml", "oauth2: {}");
    assertThat(run("queries", "--server", address, "--http.config.file", unknown)).isNotZero();
    assertThat(err.toString()).contains("oauth2: is unknown").contains("line 1");
    assertThat(run("queries", "--data", folder.toString(), "--http.config.file", reads))
        .isEqualTo(2);
  }

  @Test
  void recordsWhoDeletesAndAdministers() throws IOException {
    String all = http("all.yml", "basic_auth: {username: all, password: a}");
    String reads = http("reads.yml", "basic_auth: {username: reads, password: r}");
    run("queries", "kill", "nothing", "--server", address, "--http.config.file", all);
    run("queries", "kill", "nothing", "--server", address, "--http.config.file", reads);
    run("queries", "--server", address, "--http.config.file", all);
    assertThat(audit.list.stream().map(ILoggingEvent::getFormattedMessage))
        .hasSize(2)
        .allSatisfy(line ->
            assertThat(line)
                .contains(
                    "method=POST path=/api/v1/status/queries/nothing/kill client=127.0.0.1:"
                        .split(" "))
                .doesNotContain("Basic"))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("user=all ").endsWith("status=404"),
            line -> assertThat(line).startsWith("user=reads ").endsWith("status=403"));
  }

  @Test
  void recordsWhatIsDeleted() throws IOException {
    String all = http("all.yml", "basic_auth: {username: all, password: a}");
    String[] delete = {
      "delete", "gone{host=\"a\"}", "--server", address, "--http.config.file", all
    };
    run(delete);
    assertThat(audit.list.stream().map(ILoggingEvent::getFormattedMessage))
        .as(err.toString())
        .singleElement()
        .asString()
        .startsWith("user=all ")
        .contains("path=/varve/v1/delete body=selector=gone%7Bhost%3D%22a%22%7D status=200")
        .doesNotContain("Basic");
  }

  @Test
  void decidesWithoutAServer() throws IOException {
    String users = folder.resolve("users.yml").toString();
    assertThat(run("auth", "check", "reads", "GET", "/api/v1/query", "--users.file", users))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).contains("admitted").contains("'read'");
    assertThat(run("auth", "check", "reads", "post", "/api/v1/write", "--users.file", users))
        .isEqualTo(1);
    assertThat(out.toString()).contains("403: user 'reads' has no right to write");
    assertThat(run("auth", "check", "reads", "POST", "/api/query", "--users.file", users)).isZero();
    assertThat(out.toString()).contains("it needs also delete, with 'delete': true");
    assertThat(
            run("auth", "check", "token", "GET", "/datasets/b/api/v1/query", "--users.file", users))
        .isEqualTo(1);
    assertThat(out.toString()).contains("may not use dataset 'b'");
    String override = "/api/annotation?start_time=1&method_override=delete";
    assertThat(run("auth", "check", "reads", "GET", override, "--users.file", users)).isEqualTo(1);
    assertThat(out.toString()).contains("403: user 'reads' has no right to delete");
    String query = "{\"start\":1,\"queries\":[{\"metric\":\"m\",\"aggregator\":\"sum\"}]%s}";
    String deleting = query.formatted(",\"delete\":true");
    assertThat(
            run(
                "auth",
                "check",
                "reads",
                "POST",
                "/api/query",
                "--body",
                query.formatted(""),
                "--users.file",
                users))
        .isZero();
    assertThat(out.toString())
        .endsWith("admitted: it needs the right 'read'" + System.lineSeparator());
    assertThat(
            run(
                "auth",
                "check",
                "reads",
                "POST",
                "/api/query",
                "--body",
                deleting,
                "--users.file",
                users))
        .isEqualTo(1);
    Path body = Files.writeString(folder.resolve("query.json"), deleting);
    assertThat(
            run(
                "auth",
                "check",
                "all",
                "POST",
                "/api/query",
                "--body-file",
                body.toString(),
                "--users.file",
                users))
        .isZero();
    assertThat(out.toString()).contains("'read' and 'delete'");
    assertThat(
            run(
                "auth",
                "check",
                "token",
                "GET",
                "/api/v1/query",
                "--header",
                "X-Scope-OrgID: b",
                "--users.file",
                users))
        .isEqualTo(1);
    assertThat(run("auth", "check", "-", "GET", "/-/healthy", "--users.file", users)).isZero();
    assertThat(run("auth", "check", "-", "GET", "/metrics", "--users.file", users)).isEqualTo(1);
    assertThat(out.toString()).contains("401");
    assertThat(run("auth", "check", "ann", "GET", "/metrics", "--users.file", users)).isEqualTo(1);
    assertThat(run("auth", "check", "all", "GET", "/nothing", "--users.file", users)).isEqualTo(1);
    assertThat(out.toString()).contains("404");
  }
}
