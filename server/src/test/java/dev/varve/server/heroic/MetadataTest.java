package dev.varve.server.heroic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers about series, keys and tags, and about the server. */
class MetadataTest {
  private static final String RANGE =
      "\"range\":{\"type\":\"absolute\",\"start\":1600000000000,\"end\":1600000040000}";

  @TempDir private static Path directory;
  private static HeroicServer heroic;

  @BeforeAll
  static void start() throws IOException {
    heroic = new HeroicServer(directory, "heroic");
    heroic.write("cpu-idle", "host=web1,site=lon", "pod=p1", "[1600000010000,1]");
    heroic.write("cpu-idle", "host=web2,site=sto", "", "[1600000010000,1]");
    heroic.write("memoryFree", "host=db1,site=lon", "", "[1600000010000,1]");
    heroic.write("later", "host=web9", "", "[1700000010000,1]");
  }

  @AfterAll
  static void stop() {
    heroic.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "keys; ; {\"errors\":[],\"keys\":[\"cpu-idle\",\"memoryFree\"],\"size\":2,\"duplicates\":0}",
        "keys; ,\"limit\":1; {\"errors\":[],\"keys\":[\"cpu-idle\"],\"size\":1,\"duplicates\":0}",
        "keys; ,\"filter\":[\"=\",\"host\",\"db1\"]; {\"errors\":[],\"keys\":[\"memoryFree\"],\"size\":1,\"duplicates\":0}",
        "tags; ; {\"errors\":[],\"tags\":{\"host\":[\"db1\",\"web1\",\"web2\"],\"site\":[\"lon\",\"sto\"]},\"size\":2}",
        "series; ,\"filter\":[\"+\",\"host\"],\"limit\":0; {\"errors\":[],\"series\":[],\"limited\":true}",
        "series; ,\"filter\":[\"=\",\"host\",\"web1\"]; {\"errors\":[],\"series\":[{\"key\":\"cpu-idle\",\"tags\":{\"host\":\"web1\",\"site\":\"lon\"},\"resource\":{\"pod\":\"p1\"}}],\"limited\":false}",
        "series-count; ; {\"errors\":[],\"count\":3,\"limited\":false}",
        "series-count; ,\"filter\":[\"false\"]; {\"errors\":[],\"count\":0,\"limited\":false}",
        "tagkey-count; ,\"limit\":1; {\"errors\":[],\"suggestions\":[{\"key\":\"host\",\"count\":3,\"exactValues\":[\"db1\",\"web1\",\"web2\"]}],\"limited\":true}",
        "key-suggest; ,\"key\":\"FREE\"; {\"errors\":[],\"suggestions\":[{\"score\":1.0,\"key\":\"memoryFree\"}]}",
        "key-suggest; ,\"key\":\"cpu\"; {\"errors\":[],\"suggestions\":[{\"score\":2.0,\"key\":\"cpu-idle\"}]}",
        "key-suggest; ,\"key\":\"idle\"; {\"errors\":[],\"suggestions\":[{\"score\":1.0,\"key\":\"cpu-idle\"}]}",
        "key-suggest; ,\"key\":\"ree\"; {\"errors\":[],\"suggestions\":[]}",
        "tag-suggest; ,\"value\":\"web\",\"limit\":1; {\"errors\":[],\"suggestions\":[{\"score\":2.0,\"key\":\"host\",\"value\":\"web1\"}]}",
        "tag-suggest; ,\"key\":\"site\",\"value\":\"s\"; {\"errors\":[],\"suggestions\":[{\"score\":6.0,\"key\":\"site\",\"value\":\"sto\"}]}",
        "tag-value-suggest; ,\"key\":\"host\",\"limit\":2; {\"errors\":[],\"values\":[\"db1\",\"web1\"],\"limited\":true}",
        "tag-values-suggest; ,\"groupLimit\":2,\"exclude\":[\"site\"]; {\"errors\":[],\"suggestions\":[{\"key\":\"host\",\"values\":[\"db1\",\"web1\"],\"limited\":true}],\"limited\":false}",
      })
  void answersAboutSeries(String path, String more, String expected) {
    String body = "{" + RANGE + (more == null ? "" : more) + "}";
    HttpResponse<String> answer = heroic.post("/metadata/" + path, "application/json", body);
    assertThat(answer.body()).isEqualTo(expected);
  }

  @Test
  void asksAboutTheLastWeekWithoutARange() {
    assertThat(heroic.server().post("/heroic/metadata/series-count", "").body())
        .isEqualTo("{\"errors\":[],\"count\":0,\"limited\":false}");
    assertThat(heroic.server().post("/heroic/keys", "{" + RANGE + "}").body())
        .contains("\"memoryFree\"");
  }

  @Test
  void refusesToAddSeries() {
    HttpResponse<String> answer = heroic.send("PUT", "/metadata/series", "{}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("\"type\":\"error\"");
  }

  @Test
  void tellsAboutItself() {
    HttpResponse<String> status = heroic.server().get("/heroic/status");
    assertThat(status.statusCode()).isEqualTo(200);
    assertThat(status.body())
        .contains(
            "\"ok\":true,\"consumers\":{\"ok\":true,\"available\":0",
            "\"backends\":{\"ok\":true,\"available\":1,\"ready\":1}",
            "\"cluster\":{\"ok\":true,\"onlineNodes\":1,\"offlineNodes\":0}");
    assertThat(heroic.server().get("/heroic/").body()).contains("\"name\":\"Varve\"");
    assertThat(heroic.server().get("/heroic/backends").body()).isEqualTo("{\"data\":[\"heroic\"]}");
    HttpResponse<String> missing = heroic.server().get("/heroic/render/image");
    assertThat(missing.statusCode()).isEqualTo(404);
    assertThat(missing.body()).contains("\"type\":\"error\"");
  }
}
