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

/** Queries as JSON: filters, groups, ranges, options, limits and the form of answers. */
class QueryTest {
  private static final String RANGE =
      "\"range\":{\"type\":\"absolute\",\"start\":1600000000000,\"end\":1600000040000}";

  private static final String SUM = "{\"type\":\"sum\",\"size\":\"40s\"}";

  @TempDir private static Path directory;
  private static HeroicServer heroic;

  @BeforeAll
  static void start() throws IOException {
    heroic = new HeroicServer(directory, "heroic", "buckets");
    heroic.write(
        "cpu", "host=a,site=x", "", "[1600000000000,1000],[1600000010000,1],[1600000040000,2]");
    heroic.write("cpu", "host=b,site=x", "", "[1600000010000,4]");
    heroic.write("cpu", "host=c,site=y", "pod=p1", "[1600000010000,8]");
    heroic.write("cpu", "host=c,site=y", "pod=p2,host=other", "[1600000010000,16]");
    heroic.write("mem", "host=a,site=", "", "[1600000010000,32]");
    heroic.write("mem", "", "host=a", "[1600000010000,64]");
  }

  @AfterAll
  static void stop() {
    heroic.close();
  }

  private static HttpResponse<String> query(String aggregation, String filter, String more) {
    return heroic.query(
        "{\"aggregation\":%s,\"filter\":%s,%s%s}".formatted(aggregation, filter, RANGE, more));
  }

  /** The sum over all series of a filter tells which ones matched. */
  private static String sum(String filter) {
    HttpResponse<String> answer = query(SUM, filter, "");
    String values = HeroicServer.values(answer);
    return values.replaceAll("\\[\\[1600000040000,([0-9.]+)]]", "$1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "[\"true\"]; 127.0",
        "[\"false\"]; ``",
        "[\"key\",\"cpu\"]; 31.0",
        "[\"=\",\"host\",\"a\"]; 35.0",
        "[\"=\",\"host\",\"other\"]; ``",
        "[\"+\",\"host\"]; 63.0",
        "[\"+\",\"pod\"]; ``",
        "[\"not\",[\"+\",\"host\"]]; 64.0",
        "[\"not\",[\"=\",\"host\",\"a\"]]; 92.0",
        "[\"=\",\"site\",\"\"]; 32.0",
        "[\"^\",\"site\",\"\"]; 63.0",
        "[\"~\",\"host\",\"[ab]\"]; 39.0",
        "[\"or\",[\"=\",\"host\",\"a\"],[\"=\",\"host\",\"b\"]]; 39.0",
        "[\"or\",[\"=\",\"host\",\"a\"],[\"key\",\"mem\"]]; 99.0",
        "[\"and\",[\"key\",\"cpu\"],[\"or\",[\"=\",\"site\",\"x\"],[\"=\",\"host\",\"c\"],[\"^\",\"host\",\"b\"]]]; 31.0",
        "[\"not\",[\"or\",[\"key\",\"mem\"],[\"=\",\"site\",\"x\"]]]; 24.0",
        "[\"q\",\"$key = mem and host = a\"]; 32.0",
        "{\"type\":\"and\",\"filters\":[{\"type\":\"key\",\"key\":\"cpu\"},{\"type\":\"not\",\"filter\":{\"type\":\"matchTag\",\"tag\":\"site\",\"value\":\"x\"}}]}; 24.0",
        "{\"type\":\"raw\",\"filter\":\"+site\"}; 63.0",
      })
  void filtersByKeyAndTagsButNotByResource(String filter, String sum) {
    assertThat(sum(filter)).isEqualTo(sum);
  }

  @Test
  void answersInHeroicsForm() {
    HttpResponse<String> answer =
        query(
            "{\"type\":\"group\",\"of\":[\"site\"],\"each\":" + SUM + "}", "[\"key\",\"cpu\"]", "");
    assertThat(answer.body())
        .containsPattern(
            "^\\{\"queryId\":\"[0-9a-f-]+\",\"range\":\\{\"start\":1600000000000,\"end\":1600000040000},\"trace\":\\{\"what\":\\{\"name\":\"query\"},\"elapsed\":\\d+,\"children\":\\[]},\"limits\":\\[],\"cached\":false,\"cache\":null,\"commonTags\":\\{\"host\":\\[\"a\",\"b\",\"c\"],\"site\":\\[\"x\",\"y\"]},\"commonResource\":\\{},\"result\":")
        .endsWith(",\"preAggregationSampleSize\":5,\"errors\":[]}");
    assertThat(HeroicServer.results(answer))
        .isEqualTo(
            "\"result\":[{\"type\":\"points\",\"cadence\":40000,\"values\":[[1600000040000,7.0]],\"key\":\"cpu\",\"tags\":{\"site\":\"x\"},\"tagCounts\":{\"host\":2},\"resource\":{},\"resourceCounts\":{}},"
                + "{\"type\":\"points\",\"cadence\":40000,\"values\":[[1600000040000,24.0]],\"key\":\"cpu\",\"tags\":{\"host\":\"c\",\"site\":\"y\"},\"tagCounts\":{},\"resource\":{\"host\":\"other\"},\"resourceCounts\":{\"pod\":2}}]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{\"type\":\"group\",\"of\":null,\"each\":{\"type\":\"sum\",\"size\":40000}}; 3.0 4.0 16.0 8.0",
        "{\"type\":\"group\",\"of\":[],\"each\":{\"type\":\"sum\",\"size\":40000}}; 31.0",
        "{\"type\":\"group\",\"of\":[\"pod\"],\"each\":{\"type\":\"sum\",\"size\":40000}}; 7.0 16.0 8.0",
        "{\"type\":\"group\",\"of\":[\"host\"],\"each\":{\"type\":\"sum\",\"size\":40000}}; 3.0 4.0 16.0 8.0",
        "{\"type\":\"collapse\",\"of\":[\"host\",\"pod\"],\"each\":{\"type\":\"sum\",\"size\":40000}}; 7.0 24.0",
        "{\"type\":\"collapse\",\"each\":{\"type\":\"sum\",\"size\":40000}}; 31.0",
        "{\"type\":\"chain\",\"chain\":[{\"type\":\"group\",\"of\":[\"pod\"],\"each\":{\"type\":\"sum\",\"size\":40000}},{\"type\":\"group\",\"of\":[\"site\"],\"each\":{\"type\":\"max\",\"size\":40000}}]}; 7.0 16.0",
        "{\"type\":\"group\",\"of\":[\"site\"],\"each\":[{\"type\":\"sum\",\"size\":40000},{\"type\":\"max\",\"size\":40000}]}; 7.0 24.0",
        "{\"type\":\"chain\",\"chain\":[{\"type\":\"group\",\"each\":{\"type\":\"sum\",\"size\":20000}},{\"type\":\"topk\",\"k\":1},{\"type\":\"sum\",\"size\":40000}]}; 3.0",
        "{\"type\":\"chain\",\"chain\":[{\"type\":\"group\",\"each\":{\"type\":\"sum\",\"size\":40000}},{\"type\":\"abovek\",\"k\":4}]}; 16.0 8.0",
        "{\"type\":\"chain\",\"chain\":[{\"type\":\"group\",\"each\":{\"type\":\"sum\",\"size\":40000}},{\"type\":\"belowk\",\"k\":4}]}; 3.0",
        "{\"type\":\"opts\",\"sampling\":{\"unit\":\"seconds\",\"value\":40},\"aggregation\":{\"type\":\"sum\"}}; 31.0",
        "{\"type\":\"sum\",\"sampling\":{\"unit\":\"seconds\",\"value\":40}}; 31.0",
        "{\"type\":\"sum\",\"size\":{\"duration\":40,\"unit\":\"SECONDS\"}}; 31.0",
        "{\"type\":\"cardinality\",\"size\":\"40s\",\"method\":{\"type\":\"exact\",\"includeKey\":true}}; 5.0",
      })
  void groupsByTagsAndResources(String aggregation, String sums) {
    String values = HeroicServer.values(query(aggregation, "[\"key\",\"cpu\"]", ""));
    assertThat(values.replaceAll("\\[\\[1600000040000,([0-9.]+)]]", "$1")).isEqualTo(sums);
  }

  @Test
  void collectsPointsWithoutAnAggregation() {
    String body =
        HeroicServer.values(
            heroic.query("{\"key\":\"cpu\",\"tags\":{\"site\":\"x\"},%s}".formatted(RANGE)));
    assertThat(body).isEqualTo("[[1600000010000,1.0],[1600000040000,2.0]] [[1600000010000,4.0]]");
  }

  @Test
  void namesBucketsByStartOrEnd() {
    String count = "{\"type\":\"count\",\"size\":\"10s\"}";
    assertThat(HeroicServer.values(query(count, "[\"=\",\"host\",\"a\"]", "")))
        .isEqualTo(
            "[[1600000010000,2.0],[1600000020000,0.0],[1600000030000,0.0],[1600000040000,1.0]]");
    String start =
        "[[1600000000000,0.0],[1600000010000,2.0],[1600000020000,0.0],[1600000030000,0.0]]";
    for (String more :
        new String[] {
          ",\"options\":{\"bucketStrategy\":\"start\"}",
          ",\"features\":[\"-com.spotify.heroic.end_bucket_stategy\"]"
        }) {
      assertThat(HeroicServer.values(query(count, "[\"=\",\"host\",\"a\"]", more)))
          .isEqualTo(start);
    }
  }

  @Test
  void roundsRangesToTheCadence() {
    String late =
        "{\"aggregation\":%s,\"filter\":[\"=\",\"host\",\"b\"],\"range\":{\"type\":\"absolute\",\"start\":1600000001000,\"end\":1600000041000}%s}";
    assertThat(heroic.query(late.formatted(SUM, "")).body())
        .contains("\"range\":{\"start\":1600000000000,\"end\":1600000040000}");
    assertThat(
            heroic
                .query(late.formatted(SUM, ",\"features\":[\"-com.spotify.heroic.shift_range\"]"))
                .body())
        .contains("\"range\":{\"start\":1600000001000,\"end\":1600000041000}");
  }

  @Test
  void cutsWhatIsBeyondALimit() {
    String group = "{\"type\":\"group\",\"each\":" + SUM + "}";
    String key = "[\"key\",\"cpu\"]";
    assertThat(query(group, key, ",\"options\":{\"seriesLimit\":2}").body())
        .contains("\"limits\":[\"SERIES\"]", "\"errors\":[]");
    assertThat(query(group, key, ",\"options\":{\"seriesLimit\":2,\"failOnLimits\":true}").body())
        .contains("\"limits\":[\"SERIES\"]", "\"result\":[]", "more than the allowed limit of [2]");
    assertThat(query(group, key, ",\"options\":{\"groupLimit\":2}"))
        .satisfies(answer -> {
          assertThat(answer.body()).contains("\"limits\":[\"GROUP\"]", "\"errors\":[]");
          assertThat(HeroicServer.values(answer).split(" ")).hasSize(2);
        });
    assertThat(query(group, key, ",\"options\":{\"groupLimit\":2,\"failOnLimits\":true}").body())
        .contains("\"limits\":[\"GROUP\"]", "\"result\":[]", "result groups");
    assertThat(query(group, key, ",\"options\":{\"dataLimit\":2}").body())
        .contains("\"limits\":[\"QUOTA\"]", "\"result\":[]", "Query exceeded quota");
    assertThat(query(group, key, ",\"options\":{\"aggregationLimit\":2}").body())
        .contains("\"limits\":[\"AGGREGATION\"]", "\"result\":[]", "retain more data");
    assertThat(
            query(
                    group,
                    key,
                    ",\"options\":{\"groupLimit\":4,\"seriesLimit\":4,\"dataLimit\":5,\"aggregationLimit\":4}")
                .body())
        .contains("\"limits\":[]");
    assertThat(
            query(group, key, ",\"features\":[\"com.spotify.heroic.deterministic_aggregations\"]")
                .body())
        .contains("deterministic resources", "\"type\":\"query\"");
  }

  @Test
  void answersBatches() {
    HttpResponse<String> answer =
        heroic.post(
            "/query/batch",
            "application/json",
            "{\"queries\":{\"one\":{\"query\":\"sum(40s) where host = b\"},\"two\":{\"aggregation\":%s,\"filter\":[\"key\",\"mem\"]}},%s}"
                .formatted(SUM, RANGE));
    assertThat(answer.body())
        .startsWith("{\"results\":{\"one\":{\"queryId\"")
        .contains("[[1600000040000,4.0]]", ",\"two\":{\"queryId\"", "[[1600000040000,96.0]]");
  }

  @Test
  void requiresAClientId() {
    HttpResponse<String> answer = heroic.server().post("/heroic/query/metrics", "{}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .isEqualTo(
            "{\"message\":\"Anonymous requests are not permitted\",\"reason\":\"Bad Request\",\"status\":400,\"type\":\"authentication-error\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{\"filter\":[\"nor\"]}; json-error; no such operator: 'nor'; filter[0]",
        "{\"filter\":[\"=\",\"a\"]}; json-error; takes 2 arguments; filter",
        "{\"filter\":[\"and\",[\"key\",1]]}; json-error; expected a string, found 1; filter[1][1]",
        "{\"filter\":[\"~\",\"a\",\"(\"]}; json-error; RE2 syntax; filter[2]",
        "{\"aggregation\":{\"type\":\"mean\"}}; json-error; no aggregation 'mean'; aggregation.type",
        "{\"aggregation\":{\"type\":\"topk\"}}; json-error; 'k' is missing; aggregation.k",
        "{\"aggregation\":{\"type\":\"sum\",\"size\":\"5x\"}}; json-error; a duration; aggregation.size",
        "{\"range\":{\"type\":\"relative\",\"unit\":\"WEEKS\",\"value\":1}}; json-error; no unit: 'WEEKS'; range.unit",
        "{\"range\":{\"type\":\"absolute\",\"start\":1600000000000,\"end\":1600000040000},\"features\":[\"x\"]}; json-error; no feature 'x'; features[0]",
        "{\"range\":{\"type\":\"absolute\",\"start\":1600000000000,\"end\":1600000040000},\"options\":{\"seriesLimit\":-1}}; json-error; at least 0; options.seriesLimit",
        "{]; json-parse-error; Unexpected; \"line\":1",
        "{\"query\":\"sum(\"}; parse-error; unexpected end; \"col\":4",
      })
  void namesWhatIsWrong(String body, String type, String message, String place) {
    HttpResponse<String> answer = heroic.query(body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("\"type\":\"" + type + "\"", message, place);
  }
}
