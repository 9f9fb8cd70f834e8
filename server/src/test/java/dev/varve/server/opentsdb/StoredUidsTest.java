package dev.varve.server.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * UIDs of a dataset whose layout keeps them, in the order in which names were first seen. T is the
 * start of an hour.
 */
class StoredUidsTest {
  private static final long T = 1_500_001_200;
  private static final String API = "/datasets/opentsdb/api/";

  private TestServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets", "opentsdb");
    put("cpu", "host", "a");
    put("cpu", "host", "b");
    put("mem", "dc", "a");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void put(String metric, String tag, String value) {
    String point =
        "{\"metric\":\"%s\",\"timestamp\":%d,\"value\":7,\"tags\":{\"%s\":\"%s\"}}"
            .formatted(metric, T, tag, value);
    assertThat(server.post(API + "put", point).statusCode()).isEqualTo(204);
  }

  private String get(String path) {
    return server.get(API + path).body();
  }

  @Test
  void seriesHaveTheTsuidsOfTheirRows() {
    String range = "start=%d&end=%d".formatted(T, T + 60);
    assertThat(get("query?" + range + "&show_tsuids&m=sum:cpu"))
        .contains("\"tsuids\":[\"000001000001000001\",\"000001000001000002\"]");
    assertThat(get("query?" + range + "&show_tsuids&tsuid=sum:000002000002000001"))
        .contains("\"metric\":\"mem\",\"tags\":{\"dc\":\"a\"}", "[\"000002000002000001\"]");
    assertThat(get("query/last?resolve&tsuids=000001000001000002"))
        .contains("\"tags\":{\"host\":\"b\"},\"tsuid\":\"000001000001000002\"");
    assertThat(get("search/lookup?m=mem")).contains("\"tsuid\":\"000002000002000001\"");
    assertThat(get("query?" + range + "&tsuid=sum:000009000001000001"))
        .contains("\"code\":400", "No such unique ID for 'metrics': 000009");
    assertThat(get("query?" + range + "&tsuid=sum:000002000001000001"))
        .contains("No series has the TSUID 000002000001000001");
    assertThat(get("query?" + range + "&tsuid=sum:zz"))
        .contains("\"code\":500", "begin 0, end 6, length 2");
    assertThat(get("query/last?tsuids=0001"))
        .contains("must have a metric and at least one tag pair");
  }

  @Test
  void assignedUidsAreStored() {
    HttpResponse<String> assigned =
        server.post(API + "uid/assign", "{\"metric\":[\"net\",\"cpu\"],\"tagv\":[\"c\"]}");
    assertThat(assigned.statusCode()).isEqualTo(400);
    assertThat(assigned.body())
        .isEqualTo(
            "{\"metric\":{\"net\":\"000003\"},\"metric_errors\":{\"cpu\":\"Name already exists with UID: 000001\"},\"tagv\":{\"c\":\"000003\"}}");
    assertThat(get("uid/uidmeta?type=metric&uid=000003")).contains("\"name\":\"net\"");
    assertThat(get("query?start=%d&m=sum:net".formatted(T)))
        .as("a name without series")
        .isEqualTo("[]");
    put("net", "host", "c");
    assertThat(get("search/lookup?m=net")).contains("\"tsuid\":\"000003000001000003\"");

    assertThat(get("uid/uidmeta?type=tagk&uid=000002")).contains("\"name\":\"dc\"");
    assertThat(server.get(API + "uid/uidmeta?type=tagk&uid=000003").statusCode()).isEqualTo(404);
    assertThat(server.get(API + "uid/uidmeta?type=tagk&uid=xyz").statusCode()).isEqualTo(404);
  }

  private HttpResponse<String> rename(String what) {
    return server.get(API + "uid/rename?" + what);
  }

  @Test
  void aRenamedMetricKeepsItsUidAndPoints() {
    server.post(API + "uid/uidmeta", "{\"uid\":\"000001\",\"type\":\"metric\",\"notes\":\"n\"}");
    HttpResponse<String> renamed = rename("metric=cpu&name=cpu.load");
    assertThat(renamed.body()).isEqualTo("{\"result\":\"true\"}");
    assertThat(renamed.statusCode()).isEqualTo(200);
    String query = "query?start=%d&end=%d&show_tsuids&m=sum:".formatted(T, T + 60);
    assertThat(get(query + "cpu.load"))
        .contains("\"tsuids\":[\"000001000001000001\",\"000001000001000002\"]", ":14}");
    assertThat(get(query + "cpu")).contains("\"code\":400", "No such name for 'metrics': 'cpu'");
    assertThat(get("suggest?type=metrics")).isEqualTo("[\"cpu.load\",\"mem\"]");
    assertThat(get("uid/uidmeta?type=metric&uid=000001"))
        .contains("\"name\":\"cpu.load\"", "\"notes\":\"n\"");
    put("cpu", "host", "a");
    assertThat(get(query + "cpu")).contains("[\"000003000001000001\"]", ":7}");
    put("cpu.load", "host", "c");
    assertThat(get(query + "cpu.load")).contains(":21}");
    assertThat(get("suggest?type=metrics")).isEqualTo("[\"cpu\",\"cpu.load\",\"mem\"]");
  }

  @Test
  void tagsAreRenamedInAllSeriesAlsoAfterARestart() throws IOException {
    assertThat(server.post(API + "uid/rename", "{\"tagk\":\"host\",\"name\":\"node\"}").body())
        .isEqualTo("{\"result\":\"true\"}");
    assertThat(rename("tagv=a&name=z").body()).isEqualTo("{\"result\":\"true\"}");
    assertThat(get("search/lookup?m=cpu"))
        .contains("\"tags\":{\"node\":\"z\"}", "\"tags\":{\"node\":\"b\"}", "\"totalResults\":2");
    assertThat(get("search/lookup?m=mem")).contains("\"tags\":{\"dc\":\"z\"}");
    server.restart();
    assertThat(get("search/lookup?m=cpu"))
        .contains("\"tags\":{\"node\":\"z\"}", "\"tags\":{\"node\":\"b\"}", "\"totalResults\":2");
    assertThat(get("suggest?type=tagk")).isEqualTo("[\"dc\",\"node\"]");
    assertThat(get("suggest?type=tagv")).isEqualTo("[\"b\",\"z\"]");
  }

  @Test
  void renamesAreRefusedAsInOpenTsdb() {
    assertThat(rename("metric=cpu").body()).contains("Missing necessary values to rename UID");
    assertThat(rename("metric=none&name=x").body())
        .isEqualTo("{\"result\":\"false\",\"error\":\"Name(\\\"none\\\") does not exist\"}");
    HttpResponse<String> taken = rename("metric=cpu&name=mem");
    assertThat(taken.statusCode()).isEqualTo(400);
    assertThat(taken.body())
        .contains("When trying rename(\\\"cpu\\\", \\\"mem\\\") on UniqueId(")
        .contains(", metrics, 3): new name already assigned ID=[0, 0, 2]");
    assertThat(rename("metric=cpu&name=cpu").body())
        .contains("When trying rename(\\\"cpu\\\", \\\"cpu\\\") on UniqueId(")
        .contains(", metrics, 3): new name already assigned ID=[0, 0, 1]");
    assertThat(get("search/lookup?m=cpu")).as("nothing is lost").contains("\"totalResults\":2");
    assertThat(rename("metric=cpu&name=a%26b").body())
        .contains("Invalid metric (\\\"a&b\\\"): illegal character: &");
  }

  @Test
  void notesAboutNamesAreMergedReplacedAndDeleted() {
    String path = API + "uid/uidmeta";
    String posted =
        "{\"uid\":\"000001\",\"type\":\"metric\",\"description\":\"load\",\"notes\":\"n\",\"custom\":{\"owner\":\"me\"}}";
    assertThat(server.post(path, posted).body())
        .isEqualTo(
            "{\"uid\":\"000001\",\"type\":\"METRIC\",\"name\":\"cpu\",\"description\":\"load\",\"notes\":\"n\",\"created\":0,\"custom\":{\"owner\":\"me\"},\"displayName\":\"\"}");
    String named = "?uid=000001&type=metric";
    assertThat(server.post(path + named + "&display_name=CPU", "").body())
        .contains("\"description\":\"load\"", "\"displayName\":\"CPU\"");
    assertThat(server.post(path + named, "").statusCode()).as("says nothing").isEqualTo(304);
    assertThat(get("uid/uidmeta" + named)).contains("\"displayName\":\"CPU\"");
    assertThat(get("uid/uidmeta?uid=000001&type=tagk")).contains("\"description\":\"\"");
    HttpResponse<String> replaced =
        server.send(
            server
                .request(path)
                .PUT(
                    BodyPublishers.ofString(
                        "{\"uid\":\"000001\",\"type\":\"metric\",\"notes\":\"only\"}")));
    assertThat(replaced.body()).contains("\"notes\":\"only\"", "\"description\":\"\"");
    assertThat(server.send(server.request(path + named).DELETE()).statusCode()).isEqualTo(204);
    assertThat(get("uid/uidmeta" + named)).contains("\"notes\":\"\"");
    assertThat(server.post(path, "{\"uid\":\"0000FF\",\"type\":\"metric\",\"notes\":\"x\"}").body())
        .contains("\"code\":404", "Could not find the requested UID");
    assertThat(server.post(path, "{\"notes\":\"x\"}").body()).contains("Missing UID");
  }
}
