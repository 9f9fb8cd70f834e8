package dev.varve.server.heroic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Deletes of series by a filter. */
class SeriesDeleteTest {
  private static final String RANGE =
      "\"range\":{\"type\":\"absolute\",\"start\":1600000000000,\"end\":1600000040000}";

  @TempDir private Path directory;
  private HeroicServer heroic;

  @BeforeEach
  void start() throws IOException {
    heroic = new HeroicServer(directory, "heroic");
    for (String point : new String[] {"[1600000010000,1]", "[1600000090000,2]"}) {
      heroic.write("cpu", "host=web1,site=lon", "pod=p1", point);
      heroic.write("cpu", "host=web2,site=sto", "", point);
      heroic.write("mem", "host=db1,site=lon", "", point);
      heroic.write("mem", "host=web.3", "", point);
    }
  }

  @AfterEach
  void stop() {
    heroic.close();
  }

  private HttpResponse<String> delete(String filter) {
    return heroic.send("DELETE", "/metadata/series", "{%s,\"filter\":%s}".formatted(RANGE, filter));
  }

  /** Returns how many series have points in the range. */
  private int withPoints() {
    String query = "{\"query\":\"* from points(1600000000000, 1600000040000) where true\"}";
    String values = HeroicServer.values(heroic.query(query));
    return values.isEmpty() ? 0 : values.split(" ", -1).length;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "[\"=\",\"host\",\"web1\"]; 1",
        "[\"key\",\"cpu\"]; 2",
        "[\"true\"]; 4",
        "[\"false\"]; 0",
        "[\"+\",\"site\"]; 3",
        "[\"not\",[\"+\",\"site\"]]; 1",
        "[\"^\",\"host\",\"web\"]; 3",
        "[\"not\",[\"^\",\"host\",\"web.\"]]; 3",
        "[\"~\",\"host\",\"web[12]\"]; 2",
        "[\"not\",[\"~\",\"host\",\"web[12]\"]]; 2",
        "[\"and\",[\"key\",\"mem\"],[\"not\",[\"=\",\"site\",\"lon\"]]]; 1",
        "[\"or\",[\"key\",\"mem\"],[\"=\",\"host\",\"web1\"]]; 3",
        "[\"or\",[\"=\",\"host\",\"web2\"],[\"=\",\"host\",\"web1\"]]; 2",
      })
  void deletesTheSeriesOfAFilter(String filter, int deleted) {
    HttpResponse<String> answer = delete(filter);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body())
        .isEqualTo("{\"errors\":[],\"deleted\":%d,\"failed\":0}".formatted(deleted));
    assertThat(withPoints()).isEqualTo(4 - deleted);
  }

  @Test
  void keepsThePointsOfOtherTimesAndLaterOnes() {
    assertThat(delete("[\"key\",\"cpu\"]").body()).contains("\"deleted\":2");
    String query =
        "{\"query\":\"* from points(1600000000000, 1600000100000) where $key = cpu and host = web2\"}";
    assertThat(HeroicServer.values(heroic.query(query))).isEqualTo("[[1600000090000,2.0]]");
    heroic.write("cpu", "host=web2,site=sto", "", "[1600000010000,3]");
    assertThat(HeroicServer.values(heroic.query(query)))
        .isEqualTo("[[1600000010000,3.0],[1600000090000,2.0]]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{}; needs a filter",
        "{\"filter\":[\"true\"],\"range\":{\"type\":\"absolute\",\"start\":5,\"end\":4}}; must end after",
        "{\"filter\":[\"=\",\"host\",\"\"]}; a delete takes conditions",
        "{\"filter\":[\"+\",\"pod\"],\"range\":{\"type\":\"absolute\",\"start\":1600000000000,\"end\":1600000040000}}; resource identifier of series 'cpu'",
        "{\"filter\":[\"nonsense\"]}; nonsense",
      })
  void refusesWhatItCannotDeleteExactly(String body, String reason) {
    HttpResponse<String> answer = heroic.send("DELETE", "/metadata/series", body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains(reason);
    assertThat(withPoints()).isEqualTo(4);
  }
}
