package dev.varve.server.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import dev.varve.server.queries.QueryOptions;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots over HTTP, as users of VictoriaMetrics expect them. */
class SnapshotRoutesTest {
  private static final String POINT = "{\"metric\":\"m\",\"time\":1700000000000,\"value\":1}\n";

  @TempDir private Path directory;

  @Test
  void areMadeListedAndDeleted() throws Exception {
    try (TestServer server = TestServer.start(directory, "rocksdb", QueryOptions.DEFAULTS)) {
      assertThat(server.post("/varve/v1/points", POINT).statusCode()).isEqualTo(200);
      assertThat(server.get("/snapshot/list").body())
          .isEqualTo("{\"status\":\"ok\",\"snapshots\":[],\"details\":[]}");

      String made = server.post("/snapshot/create", "").body();
      assertThat(made).matches("\\{\"status\":\"ok\",\"snapshot\":\"\\d{14}-[0-9A-F]{16}\"}");
      String name = made.substring(made.indexOf("20"), made.length() - 2);
      assertThat(server.get("/snapshot/list").body())
          .contains("\"snapshots\":[\"" + name + "\"]", "\"bytes\":", "\"created\":\"20");
      assertThat(Files.exists(directory.resolve("snapshots").resolve(name).resolve("rocksdb")))
          .isTrue();

      assertThat(server.get("/snapshot/create").statusCode()).isEqualTo(405);
      HttpResponse<String> unknown = server.post("/snapshot/delete?snapshot=../rocksdb", "");
      assertThat(unknown.statusCode()).isEqualTo(404);
      assertThat(unknown.body())
          .isEqualTo("{\"status\":\"error\",\"msg\":\"there is no snapshot '../rocksdb'\"}\n");
      assertThat(server.post("/snapshot/delete", "").statusCode()).isEqualTo(400);
      assertThat(server.post("/snapshot/delete?snapshot=" + name, "").body())
          .isEqualTo("{\"status\":\"ok\"}");
      assertThat(server.post("/snapshot/create", "").statusCode()).isEqualTo(200);
      assertThat(server.post("/snapshot/delete_all", "").body()).isEqualTo("{\"status\":\"ok\"}");
      assertThat(server.get("/snapshot/list").body()).contains("\"snapshots\":[]");
    }
  }
}
