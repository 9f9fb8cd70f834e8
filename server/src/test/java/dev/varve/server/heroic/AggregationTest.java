package dev.varve.server.heroic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Aggregations over points whose results are computed by hand. The times are seconds after a round
 * time: 0 is not in the range, which leaves out its start.
 */
class AggregationTest {
  private static final String RANGE = "(1600000000000, 1600000040000)";

  @TempDir private static Path directory;
  private static HeroicServer heroic;

  @BeforeAll
  static void start() throws IOException {
    heroic = new HeroicServer(directory, "buckets");
    // cpu of two hosts; 0 s, 5 s, 10 s, 15 s, 25 s
    heroic.write(
        "cpu",
        "host=a,site=x",
        "",
        "[1600000000000,100],[1600000005000,1],[1600000010000,2],[1600000015000,4],[1600000025000,7]");
    heroic.write("cpu", "host=b,site=x", "", "[1600000005000,10],[1600000035000,-20]");
    heroic.write("cpu", "host=c,site=y", "pod=p1", "[1600000015000,3]");
    heroic.write("cpu", "host=c,site=y", "pod=p2", "[1600000015000,5]");
    heroic.write(
        "counter",
        "host=a",
        "",
        "[1600000001000,5],[1600000004000,8],[1600000009000,2],[1600000010000,3]");
  }

  @AfterAll
  static void stop() {
    heroic.close();
  }

  private static String ask(String aggregation, String filter) {
    String text = "%s from points%s where %s".formatted(aggregation, RANGE, filter);
    // Times as seconds after the start of the range make the expectations readable.
    String values = HeroicServer.values(heroic.ask(text));
    return values.replaceAll("\\[16000000(\\d\\d)000,", "[$1,");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "*; [[05,1.0],[10,2.0],[15,4.0],[25,7.0]]",
        "average(10s); [[10,1.5],[20,4.0],[30,7.0]]",
        "sum(10s); [[10,3.0],[20,4.0],[30,7.0]]",
        "sum2(10s); [[10,5.0],[20,16.0],[30,49.0]]",
        "min(10s); [[10,1.0],[20,4.0],[30,7.0]]",
        "max(10s); [[10,2.0],[20,4.0],[30,7.0]]",
        "count(10s); [[10,2.0],[20,1.0],[30,1.0],[40,0.0]]",
        "stddev(20s); [[20,1.2472191289246466],[40,0.0]]",
        "tpl(20s); [[20,0.0],[40,0.0]]",
        "quantile(20s, q=0.99); [[20,2.0],[40,7.0]]",
        "quantile(20s, q=1.0); [[20,4.0],[40,7.0]]",
        "cardinality(20s); [[20,3.0],[40,1.0]]",
        "delta; [[10,1.0],[15,2.0],[25,3.0]]",
        "deltaPerSecond; [[10,0.2],[15,0.4],[25,0.3]]",
        "pointsabove(2); [[15,4.0],[25,7.0]]",
        "pointsbelow(2); [[05,1.0]]",
        "sum(10s, 20s); [[10,3.0],[20,7.0],[30,11.0],[40,7.0]]",
        "sum(10s) | delta; [[20,1.0],[30,3.0]]",
        "opts(sum, size=20s); [[20,7.0],[40,7.0]]",
      })
  void ofOneSeries(String aggregation, String expected) {
    assertThat(ask(aggregation, "host = a and $key = cpu")).isEqualTo(expected);
  }

  @Test
  void spreadsAndUniquePointsHaveTheirOwnForms() {
    assertThat(ask("spread(20s)", "host = a and $key = cpu"))
        .isEqualTo(
            "[[20,{\"count\":3,\"sum\":7.0,\"sum2\":21.0,\"min\":1.0,\"max\":4.0}],"
                + "[40,{\"count\":1,\"sum\":7.0,\"sum2\":49.0,\"min\":7.0,\"max\":7.0}]]");
  }

  @Test
  void aRateLeavesOutResets() {
    // Rises: 3 from 1 s to 4 s, 1 from 9 s to 10 s; the fall to 2 adds nothing. 4 in 9 s.
    assertThat(ask("ratePerSecond(10s)", "$key = counter")).isEqualTo("[[10,0.4444444444444445]]");
  }
}
