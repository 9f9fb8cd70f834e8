package dev.varve.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.server.AccessCheck;
import dev.varve.server.AccessCheck.Endpoint;
import dev.varve.server.AccessCheck.Request;
import dev.varve.server.ServerConfig;
import dev.varve.server.TestServer;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The permissions of each user: every endpoint of every dialect, and actions that the body decides.
 */
class RightsTest {
  /** Mounts that are not dialects. */
  static final Set<String> OF_SERVER =
      Set.of("operations", "queries", "damage", "snapshot", "console");

  private static final String OTHER = "heroic";
  private static final Map<String, Set<Right>> USERS = new LinkedHashMap<>();

  static {
    USERS.put("nobody", EnumSet.noneOf(Right.class));
    USERS.put("reads", EnumSet.of(Right.READ));
    USERS.put("writes", EnumSet.of(Right.WRITE));
    USERS.put("deletes", EnumSet.of(Right.DELETE));
    USERS.put("administers", EnumSet.of(Right.ADMIN));
    USERS.put("some", EnumSet.of(Right.READ, Right.WRITE));
    USERS.put("all", EnumSet.of(Right.READ, Right.WRITE, Right.DELETE, Right.ADMIN));
    USERS.put("elsewhere", EnumSet.of(Right.READ, Right.WRITE, Right.DELETE, Right.ADMIN));
    USERS.put("bound", EnumSet.of(Right.READ, Right.WRITE, Right.DELETE, Right.ADMIN));
  }

  /** Routes that leave out what is in other datasets. */
  private static final List<String> LISTS =
      List.of("/runningqueries", "/killquery/*", "/stats/query", "/dropcaches");

  private static final String TASK =
      """
      {"name":"%s","execution_interval":{"value":1,"unit":"seconds"},"rollups":[{"save_as":"rolled",
      "query":{"start_relative":{"value":1,"unit":"hours"},"metrics":[{"name":"m",
      "aggregators":[{"name":"sum","sampling":{"value":1,"unit":"minutes"}}]}]}}]}
      """;

  @TempDir private static Path directory;
  private static TestServer server;
  private static AccessCheck offline;
  private static Path file;

  /** A roll-up task that was stored before the server authenticated. */
  private static String taskOfNobody;

  private static String users() {
    StringBuilder users = new StringBuilder("users:\n");
    USERS.forEach((name, rights) ->
        users.append(
            "- {username: %s, password: pw-%s, rights: [%s]%s}\n"
                .formatted(
                    name,
                    name,
                    String.join(", ", rights.stream().map(Right::word).toList()),
                    switch (name) {
                      case "elsewhere" -> ", datasets: [" + OTHER + "]";
                      case "bound" -> ", matchers: 'm{team=\"a\"}'";
                      default -> "";
                    })));
    users.append("- {name: bearer, bearer_token: s3cret, rights: [read]}\n");
    return users.toString();
  }

  @BeforeAll
  static void start() throws IOException {
    server = new TestServer(directory.resolve("data"), null, "blocks", OTHER, "opentsdb");
    file = directory.resolve("users.yml");
    Files.writeString(file, users());
    taskOfNobody = id(server.post("/api/v1/rollups", TASK.formatted("before")));
    AccessFiles files = new AccessFiles(null, file, false);
    server.with(files, List.of());
    offline = new AccessCheck(ServerConfig.DEFAULTS.with(files), "blocks");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Stream<Endpoint> endpoints() {
    return AccessCheck.endpoints().stream();
  }

  private static String path(Endpoint endpoint) {
    Route route = endpoint.route();
    String path = route.path().replace(Route.REST, "x/y").replace(Route.ANY, "x");
    boolean ofServer = OF_SERVER.contains(endpoint.dialect());
    return ofServer ? path : "/" + endpoint.dialect() + path;
  }

  private static HttpRequest.Builder as(@Nullable String user, HttpRequest.Builder request) {
    if (user == null) {
      return request;
    }
    String proof = user + ":pw-" + user;
    return request.header(
        "Authorization", "Basic " + Base64.getEncoder().encodeToString(proof.getBytes(UTF_8)));
  }

  private static HttpResponse<String> ask(
      @Nullable String user, String method, String path, String body) {
    return server.send(
        as(user, server.request(path)).method(method, HttpRequest.BodyPublishers.ofString(body)));
  }

  /**
   * A row of the matrix.
   *
   * @param user null for a request without a proof
   */
  record Row(@Nullable String user, Endpoint endpoint) {
    @Override
    public String toString() {
      return user + " " + endpoint.route().method() + " " + path(endpoint);
    }
  }

  private static Stream<Row> rows() {
    List<@Nullable String> users = new ArrayList<>(USERS.keySet());
    users.add(null);
    return endpoints().flatMap(endpoint -> users.stream().map(user -> new Row(user, endpoint)));
  }

  /** Every user at every endpoint, on the server and offline. */
  @ParameterizedTest
  @MethodSource("rows")
  void letsInWhoHasTheRight(Row row) {
    String user = row.user();
    Route route = row.endpoint().route();
    String path = path(row.endpoint());
    int expected = expected(user, row.endpoint());
    int status = ask(user, route.method(), path, "").statusCode();
    if (expected == 200) {
      // A request of 'elsewhere' that concerns no one dataset may still find none.
      if (!"elsewhere".equals(user)) {
        assertThat(status).isNotIn(401, 403);
      }
    } else if (user != null && user.equals("elsewhere") && !route.serverWide()) {
      // An error in the request may be found before its dataset is; BoundRightsTest asks without
      // errors. A dataset that is named is always checked.
      boolean lists = LISTS.stream().anyMatch(route.path()::endsWith);
      int ofAll = ask("all", route.method(), path, "").statusCode();
      assertThat(status).isIn(403, lists || ofAll >= 400 ? ofAll : 403);
      HttpRequest.Builder naming =
          as(user, server.request(path)).header("X-Varve-Dataset", "blocks");
      assertThat(
              server
                  .send(naming.method(route.method(), HttpRequest.BodyPublishers.noBody()))
                  .statusCode())
          .as("naming the dataset")
          .isEqualTo(403);
    } else {
      assertThat(status).isEqualTo(expected);
    }
    assertThat(offline.decide(user, new Request(route.method(), path), null).status())
        .as("offline")
        .isEqualTo(expected);
  }

  private static int expected(@Nullable String user, Endpoint endpoint) {
    Route route = endpoint.route();
    if (route.right() == Right.OPEN) {
      return 200;
    }
    if (user == null) {
      return 401;
    }
    Set<Right> rights = USERS.getOrDefault(user, Set.of());
    boolean has = route.right() == Right.LOGIN || rights.contains(route.right());
    // Whatever else such a request says, it reads.
    has &= !route.further().startsWith("read, ") || rights.contains(Right.READ);
    // 'elsewhere' may not use the default dataset, nor what concerns the whole server.
    boolean abroad =
        user.equals("elsewhere")
            && (route.serverWide()
                || (route.right() != Right.LOGIN && !OF_SERVER.contains(endpoint.dialect())));
    // 'bound' may use some series alone.
    boolean outside = user.equals("bound") && (route.serverWide() || route.allSeries());
    return has && !abroad && !outside ? 200 : 403;
  }

  @Test
  void theBodyDecidesWhetherAQueryDeletesOrWrites() throws IOException {
    String query =
        "{\"start\":1700000000,\"end\":1700000010,%s\"queries\":[{\"metric\":\"m\",\"aggregator\":\"sum\"}]}";
    assertThat(ask("reads", "POST", "/api/query", query.formatted("")).statusCode())
        .isNotIn(401, 403);
    HttpResponse<String> refused =
        ask("reads", "POST", "/api/query", query.formatted("\"delete\":true,"));
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("\"code\":403").contains("has no right to delete");
    String inUrl = "/api/query?start=1700000000&m=sum:m&method_override=delete";
    assertThat(ask("reads", "GET", inUrl, "").statusCode()).isEqualTo(403);
    assertThat(ask("all", "GET", inUrl, "").statusCode()).isNotIn(401, 403);
    // What a delete deletes is in its answer.
    assertThat(ask("deletes", "DELETE", "/api/query?start=1700000000&m=sum:m", "").statusCode())
        .isEqualTo(403);
    String saving =
        "{\"start_absolute\":1,\"metrics\":[{\"name\":\"m\",\"aggregators\":[{\"name\":\"save_as\",\"metric_name\":\"n\"}]}]}";
    assertThat(ask("reads", "POST", "/api/v1/datapoints/query", saving).statusCode())
        .isEqualTo(403);
    assertThat(ask("all", "POST", "/api/v1/datapoints/query", saving).statusCode()).isEqualTo(200);
  }

  /** An action that the path alone does not show: who may ask for it, on the server and offline. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "GET | /api/query?start=1&m=sum:m | | read",
        "GET | /api/query?start=1&m=sum:m&method_override=delete | | read delete",
        "DELETE | /api/query?start=1&m=sum:m | | read delete",
        "POST | /api/query | {\"start\":1,\"queries\":[{\"metric\":\"m\",\"aggregator\":\"sum\"}]}"
            + " | read",
        "POST | /api/query |"
            + " {\"start\":1,\"delete\":true,\"queries\":[{\"metric\":\"m\",\"aggregator\":\"sum\"}]}"
            + " | read delete",
        "GET | /api/annotation?start_time=1 | | read",
        "GET | /api/annotation?start_time=1&description=a&method_override=post | | read write",
        "GET | /api/annotation?start_time=1&description=a&method_override=put | | read write",
        "GET | /api/annotation?start_time=1&method_override=delete | | read delete",
        "GET | /api/annotation/bulk?start_time=1&method_override=delete | | read delete",
        "GET |"
            + " /api/v1/datapoints/query?query=%7B%22start_absolute%22%3A1%2C%22metrics%22%3A%5B%7B%22name%22%3A%22m%22%2C%22aggregators%22%3A%5B%7B%22name%22%3A%22save_as%22%2C%22metric_name%22%3A%22n%22%7D%5D%7D%5D%7D"
            + " | | read write",
        "POST | /api/v1/datapoints/query | {\"start_absolute\":1,\"metrics\":[{\"name\":\"m\"}]} |"
            + " read",
        "POST | /api/v1/datapoints/query |"
            + " {\"start_absolute\":1,\"metrics\":[{\"name\":\"m\",\"aggregators\":[{\"name\":\"save_as\",\"metric_name\":\"n\"}]}]}"
            + " | read write",
        "GET | /api/v1/rollups/backfill/none?startTime=2024-03-01-00-00-00-000 | | read write",
        "PUT | /api/v1/rollups/none | {} | read write",
        "POST | /varve/v1/fill | {\"metric\":\"m\",\"time\":1700000000000,\"value\":1} | read"
            + " write",
        "GET | /api/uid/assign?metric=m | | read",
        "GET | /api/uid/rename?metric=m&name=n | | read",
        "GET | /datasets/opentsdb/api/uid/assign?metric=m | | read write",
        "POST | /datasets/opentsdb/api/uid/assign | {\"metric\":[\"m\"]} | read write",
        "GET | /datasets/opentsdb/api/uid/rename?metric=m&name=n | | read admin",
        "POST | /datasets/opentsdb/api/uid/rename | {\"metric\":\"m\",\"name\":\"n\"} | read admin",
      })
  void theActionDecides(String method, String path, @Nullable String body, String words) {
    String sent = body == null ? "" : body;
    Set<Right> needed = EnumSet.noneOf(Right.class);
    for (String word : words.split(" ", -1)) {
      needed.add(Right.valueOf(word.toUpperCase(Locale.ROOT)));
    }
    for (String user :
        List.of("nobody", "reads", "writes", "deletes", "administers", "some", "all")) {
      boolean may = Objects.requireNonNull(USERS.get(user)).containsAll(needed);
      String of = user + " " + method + " " + path;
      HttpResponse<String> answer = ask(user, method, path, sent);
      assertThat(answer.statusCode() != 403).as(of + ": " + answer.body()).isEqualTo(may);
      AccessCheck.Decision decision =
          offline.decide(user, new Request(method, path, Map.of(), sent), null);
      // Whether a layout keeps UIDs is known to the server alone.
      if (decision.further().isEmpty()) {
        assertThat(decision.status()).as("offline " + of).isEqualTo(may ? 200 : 403);
      } else {
        assertThat(path).contains("/api/uid/");
      }
    }
  }

  @Test
  void aDatasetIsUsedByWhoMay() {
    String escaped = "/datasets/%68eroic/api/v1/query";
    assertThat(ask("elsewhere", "GET", escaped + "?query=1", "").statusCode()).isEqualTo(200);
    assertThat(offline.decide("elsewhere", new Request("GET", escaped), null).status())
        .isEqualTo(200);
    assertThat(
            offline
                .decide("elsewhere", new Request("GET", "/datasets/%zz/api/v1/query"), null)
                .status())
        .isEqualTo(400);
    String write = "/api/v1/import/prometheus";
    String line = "m 1 1700000000000\n";
    assertThat(ask("elsewhere", "POST", write, line).statusCode()).isEqualTo(403);
    assertThat(ask("elsewhere", "POST", "/datasets/" + OTHER + write, line).statusCode())
        .isEqualTo(204);
    for (String header : List.of("X-Scope-OrgID", "X-Varve-Dataset")) {
      for (String dataset : List.of(OTHER, "blocks")) {
        Request request = new Request("GET", "/api/v1/query?query=m", Map.of(header, dataset), "");
        assertThat(offline.decide("elsewhere", request, null).status())
            .isEqualTo(dataset.equals(OTHER) ? 200 : 403);
      }
      HttpRequest.Builder request =
          as("elsewhere", server.request("/api/v1/query?query=m&time=1700000001"));
      assertThat(server.send(request.header(header, OTHER)).body()).contains("\"1\"");
      HttpRequest.Builder foreign =
          as("elsewhere", server.request("/api/v1/query?query=m&time=1700000001"));
      assertThat(server.send(foreign.header(header, "blocks")).statusCode()).isEqualTo(403);
    }
    // Influx names the dataset in a parameter.
    assertThat(ask("elsewhere", "POST", "/write?db=" + OTHER, "m v=1 1\n").statusCode())
        .isEqualTo(204);
    assertThat(ask("elsewhere", "POST", "/write?db=blocks", "m v=1 1\n").statusCode())
        .isEqualTo(403);
    assertThat(ask("elsewhere", "GET", "/query?q=SHOW%20DATABASES", "").body())
        .contains(OTHER)
        .doesNotContain("blocks");
  }

  @Test
  void eachDialectRefusesInItsOwnShape() {
    Map<String, String> shapes =
        Map.of(
            "/api/v1/query", "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"",
            "/api/v1/metricnames", "{\"errors\":[\"",
            "/api/suggest", "{\"error\":{\"code\":401,\"message\":\"",
            "/query", "{\"code\":\"unauthorized\",\"message\":\"",
            "/v1/metrics", "\"code\":16",
            "/heroic/status", "\"status\":401",
            "/varve/v1/dataset", "{\"error\":\"");
    shapes.forEach((path, start) -> {
      String method = path.equals("/v1/metrics") ? "POST" : "GET";
      HttpResponse<String> answer = ask(null, method, path, "");
      assertThat(answer.statusCode()).as(path).isEqualTo(401);
      assertThat(answer.body()).as(path).contains(start);
      assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Basic realm=\"varve\"");
    });
    assertThat(ask(null, "GET", "/no/such/path", "").statusCode()).isEqualTo(401);
    assertThat(ask("reads", "GET", "/no/such/path", "").statusCode()).isEqualTo(404);
    assertThat(ask(null, "OPTIONS", "/api/v1/query", "").statusCode()).isEqualTo(401);
  }

  @Test
  void aBearerTokenIsALogin() {
    for (String scheme : List.of("Bearer ", "bearer ", "Token ")) {
      assertThat(
              server
                  .send(
                      server
                          .request("/api/v1/query?query=1")
                          .header("Authorization", scheme + "s3cret"))
                  .statusCode())
          .isEqualTo(200);
    }
    assertThat(
            server
                .send(server.request("/api/v1/query?query=1").header("Authorization", "Bearer x"))
                .statusCode())
        .isEqualTo(401);
  }

  /** A roll-up whose creator lost a right fails, and says why. */
  @Test
  void rollUpsRunWithTheirCreatorsRights() throws IOException {
    String task = TASK.formatted("t");
    assertThat(ask("writes", "POST", "/api/v1/rollups", task).statusCode()).isEqualTo(403);
    HttpResponse<String> created = ask("all", "POST", "/api/v1/rollups", task);
    assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
    String id = id(created);
    String status = "/api/v1/rollups/status/" + id;
    await()
        .untilAsserted(() ->
            assertThat(ask("all", "GET", status, "").body()).contains("\"last_execution_time\""));
    assertThat(ask("all", "GET", status, "").body()).doesNotContain("no right");
    try {
      Files.writeString(
          file, users().replace("pw-all, rights: [read, write, ", "pw-all, rights: [write, "));
      server.server().reload();
      await()
          .untilAsserted(() ->
              assertThat(ask("reads", "GET", status, "").body()).contains("no right to read"));
    } finally {
      Files.writeString(file, users());
      server.server().reload();
    }
  }

  private static String id(HttpResponse<String> created) {
    return created.body().replaceAll(".*\"id\":\"([^\"]+)\".*", "$1");
  }

  /** A task of nobody would run with every right, whoever could store it. */
  @Test
  void aRollUpOfNobodyDoesNotRunUntilAUserStoresIt() {
    String status = "/api/v1/rollups/status/" + taskOfNobody;
    await()
        .untilAsserted(() ->
            assertThat(ask("all", "GET", status, "").body())
                .contains("no user stored the task: store it again"));
    String path = "/api/v1/rollups/" + taskOfNobody;
    String task = ask("all", "GET", path, "").body();
    assertThat(ask("writes", "PUT", path, task).statusCode()).isEqualTo(403);
    assertThat(ask("all", "PUT", path, task).statusCode()).isEqualTo(200);
    await()
        .untilAsserted(() ->
            assertThat(ask("all", "GET", status, "").body())
                .contains("\"last_execution_time\"")
                .doesNotContain("store it again"));
  }

  @Test
  void aRollUpIsDeletedByWhoMayDelete() {
    String path =
        "/api/v1/rollups/" + id(ask("all", "POST", "/api/v1/rollups", TASK.formatted("gone")));
    HttpResponse<String> refused = ask("writes", "DELETE", path, "");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).startsWith("{\"errors\":[\"user 'writes' has no right to delete");
    assertThat(ask("all", "GET", path, "").statusCode()).isEqualTo(200);
    assertThat(ask("deletes", "DELETE", path, "").statusCode()).isEqualTo(204);
    assertThat(ask("all", "GET", path, "").statusCode()).isEqualTo(404);
  }
}
