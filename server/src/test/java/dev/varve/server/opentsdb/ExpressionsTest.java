package dev.varve.server.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Worked examples of {@code /api/query/gexp} and {@code /api/query/exp}. */
@TestInstance(Lifecycle.PER_CLASS)
class ExpressionsTest {
  private static final long T = 1_500_001_200;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    put("in", "a", 0, 10, 0, 20, -30);
    put("in", "b", 0, 1, 2, 3, 4);
    put("out", "a", 0, 4, 5, 0, 6);
    put("odd", "a", 5, 1, 2);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  /** Writes one point every ten seconds. */
  private void put(String metric, String host, long after, int... values) {
    StringBuilder points = new StringBuilder("[");
    for (int i = 0; i < values.length; i++) {
      points
          .append(i == 0 ? "" : ",")
          .append(
              "{\"metric\":\"%s\",\"timestamp\":%d,\"value\":%d,\"tags\":{\"host\":\"%s\"}}"
                  .formatted(metric, T + after + 10L * i, values[i], host));
    }
    assertThat(server.post("/api/put", points + "]").statusCode()).isEqualTo(204);
  }

  private HttpResponse<String> call(String expression) {
    return server.get(
        "/api/query/gexp?start=%d&end=%d&exp=%s"
            .formatted(T, T + 60, URLEncoder.encode(expression, StandardCharsets.UTF_8)));
  }

  /** Returns the points of all results, with times relative to T. */
  private static String points(String body) {
    StringBuilder shown = new StringBuilder();
    for (String part : body.split("\"dps\":\\{", 0)) {
      if (part.startsWith("\"1")) {
        for (String pair : part.substring(0, part.indexOf('}')).split(",", 0)) {
          String[] words = pair.split(":", 0);
          long time = Long.parseLong(words[0].replace("\"", "")) - T;
          shown.append(shown.isEmpty() ? "" : " ").append(time).append(':').append(words[1]);
        }
      }
    }
    return shown.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        "scale(sum:in{host=a},2)           ; 0:20 10:0 20:40 30:-60",
        "scale(sum:in{host=a},0.5)         ; 0:5.0 10:0.0 20:10.0 30:-15.0",
        "absolute(sum:in{host=a})          ; 0:10 10:0 20:20 30:30",
        "divide(sum:in{host=a},sum:out)    ; 0:2.5 10:0.0 20:0.0 30:-5.0",
        "sum(sum:in{host=a},sum:out)       ; 0:14.0 10:5.0 20:20.0 30:-24.0",
        "sum(sum:odd,sum:in)            ; 0:11.0 10:2.0 20:23.0 30:-26.0 5:1.0 15:2.0",
        "diffSeries(sum:out,sum:in{host=a}) ; 0:-6.0 10:5.0 20:-20.0 30:36.0",
        "multiply(sum:in{host=a},sum:out)  ; 0:40.0 10:0.0 20:0.0 30:-180.0",
        "movingAverage(sum:in{host=a},2)   ; 0:0.0 10:5.0 20:10.0 30:-5.0",
        "movingAverage(sum:in{host=a},'20sec') ; 0:0.0 10:0.0 20:10.0 30:-5.0",
        "highestMax(sum:in{host=*},1)      ; 0:10 10:0 20:20 30:-30",
        "highestCurrent(sum:in{host=*},1)  ; 0:1 10:2 20:3 30:4",
        "shift(sum:in{host=a},'1min')      ; 60:10",
        "scale(absolute(sum:in{host=a}),-1) ; 0:-10 10:0 20:-20 30:-30",
      })
  void callsFunctions(String expression, String expected) {
    HttpResponse<String> answer = call(expression);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(points(answer.body())).isEqualTo(expected);
  }

  @Test
  void renames() {
    assertThat(call("alias(sum:in{host=*},on-@host)").body())
        .contains("\"metric\":\"on-a\",\"tags\":{},\"aggregateTags\":[]", "\"metric\":\"on-b\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        "scale(sum:in)           ; 400 ; Missing scaling factor",
        "scale(sum:in,x)         ; 400 ; Unparseable scale factor value",
        "sum(sum:in)             ; 400 ; Must have 2 to 26 series, got 1 instead",
        "sum(sum:in{host=a},sum:odd) ; 400 ; No more elements",
        "highestMax(sum:in,0)    ; 400 ; Top n value must be greater than zero: 0",
        "unheard(sum:in)         ; 500 ; Function unheard has not been implemented",
        "avg:in                  ; 500 ; Function avg has not been implemented",
        "alias(sum:in,on @host)  ; 500 ; Failed to parse alias(sum:in,on @host)",
        "scale(sum:in            ; 500 ; Failed to parse scale(sum:in",
        "scale(sum:nowhere,1)    ; 400 ; No such name for 'metrics': 'nowhere'",
      })
  void explainsErrorsOfFunctions(String expression, int status, String message) {
    HttpResponse<String> answer = call(expression);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).contains("\"message\":\"" + message);
  }

  private HttpResponse<String> compute(String formula, String join, String more) {
    return server.post(
        "/api/query/exp",
        """
        {"time":{"start":"%d","end":"%d","aggregator":"sum"},
         "filters":[{"id":"f","tags":[{"type":"wildcard","tagk":"host","filter":"*","groupBy":true}]}],
         "metrics":[{"id":"i","metric":"in","filter":"f","fillPolicy":{"policy":"scalar","value":7}},
                    {"id":"o","metric":"out","filter":"f"}],
         "expressions":[{"id":"e","expr":"%s","join":{"operator":"%s"}}%s],
         "outputs":[{"id":"e"}]}\
        """
            .formatted(T, T + 60, formula, join, more));
  }

  private static String rows(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    String body = answer.body();
    return body.substring(body.indexOf("\"dps\":[") + 7, body.indexOf("],\"dpsMeta\""))
        .replace(Long.toString(T), "T");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        "i + o * 2              ; [T000,18.0],[T+10,10.0],[T+20,20.0],[T+30,-18.0]",
        "(i - o) / 2            ; [T000,3.0],[T+10,-2.5],[T+20,10.0],[T+30,-18.0]",
        "i / o                  ; [T000,2.5],[T+10,0.0],[T+20,0.0],[T+30,-5.0]",
        "i > o                  ; [T000,1.0],[T+10,0.0],[T+20,1.0],[T+30,0.0]",
        "i > 5 && !(o > 3)      ; [T000,0.0],[T+10,0.0],[T+20,1.0],[T+30,0.0]",
        "i > 5 ? o : -1.5       ; [T000,4.0],[T+10,-1.5],[T+20,0.0],[T+30,-1.5]",
        "i % 7 + o * 1e1        ; [T000,43.0],[T+10,50.0],[T+20,6.0],[T+30,58.0]",
      })
  void computesFormulas(String formula, String expected) {
    String rows = rows(compute(formula, "intersection", ""));
    for (int after = 10; after <= 30; after += 10) {
      rows = rows.replace((T + after) + "000", "T+" + after);
    }
    assertThat(rows).isEqualTo(expected);
  }

  @Test
  void joinsWhatBelongsTogether() {
    // Host b has no "out", which is zero in a union.
    HttpResponse<String> union = compute("i + o", "union", "");
    assertThat(rows(union)).startsWith("[T000,14.0,1.0]");
    assertThat(union.body())
        .contains(
            "\"series\":2",
            "{\"index\":2,\"metrics\":[\"in\",\"out\"],\"commonTags\":{\"host\":\"b\"},\"aggregatedTags\":[]}");
    assertThat(compute("i + o", "intersection", "").body()).contains("\"series\":1");
  }

  @Test
  void computesFormulasOfFormulas() {
    HttpResponse<String> answer =
        compute("twice + 1.5", "intersection", ",{\"id\":\"twice\",\"expr\":\"i + i\"}");
    assertThat(rows(answer)).startsWith("[T000,21.5,3.5]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        "i + nobody ; 500 ; Expression [i + nobody] was missing input nobody",
        "e + i      ; 400 ; Self referencing expression found: e",
        "i > 1 ? 1 : 2 ; 400 ; Expression returned a result of type: java.lang.Integer",
        "i +        ; 500 ; Invalid expression at index 0",
        "i.class    ; 500 ; Invalid expression at index 0",
      })
  void explainsErrorsOfFormulas(String formula, int status, String message) {
    HttpResponse<String> answer = compute(formula, "union", "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).contains("\"message\":\"" + message);
  }
}
