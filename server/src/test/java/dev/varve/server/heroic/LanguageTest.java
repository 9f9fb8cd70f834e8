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

/** The filter language, as {@code /parser/parse-filter} answers it. */
class LanguageTest {
  @TempDir private static Path directory;
  private static HeroicServer heroic;

  @BeforeAll
  static void start() throws IOException {
    heroic = new HeroicServer(directory, "buckets");
  }

  @AfterAll
  static void stop() {
    heroic.close();
  }

  private static HttpResponse<String> parse(String filter) {
    return heroic.post("/parser/parse-filter", "text/plain", filter);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "a = b; [\"=\",\"a\",\"b\"]",
        "$key = system; [\"key\",\"system\"]",
        "$key != system; [\"not\",[\"key\",\"system\"]]",
        "+host; [\"+\",\"host\"]",
        "host ^ web; [\"^\",\"host\",\"web\"]",
        "host !^ web; [\"not\",[\"^\",\"host\",\"web\"]]",
        "host ~ \"web.*\"; [\"~\",\"host\",\"web.*\"]",
        "host in [a, b]; [\"or\",[\"=\",\"host\",\"a\"],[\"=\",\"host\",\"b\"]]",
        "host in {a, b}; [\"or\",[\"=\",\"host\",\"a\"],[\"=\",\"host\",\"b\"]]",
        "host not in [a]; [\"not\",[\"=\",\"host\",\"a\"]]",
        "true; [\"true\"]",
        "false; [\"false\"]",
        "a = \"x\\u00e4\\ty\"; [\"=\",\"a\",\"xä\\ty\"]",
        "site.name = eu-west/1:2_x; [\"=\",\"site.name\",\"eu-west/1:2_x\"]",
        // 'or' binds tighter than 'and', and '!' takes everything that follows.
        "a = 1x and b = 2x or c = 3x; [\"and\",[\"=\",\"a\",\"1x\"],[\"or\",[\"=\",\"b\",\"2x\"],[\"=\",\"c\",\"3x\"]]]",
        "!a = x and b = y; [\"not\",[\"and\",[\"=\",\"a\",\"x\"],[\"=\",\"b\",\"y\"]]]",
        "(!(a = x)) and b = y; [\"and\",[\"=\",\"b\",\"y\"],[\"not\",[\"=\",\"a\",\"x\"]]]",
        "(a) = x; [\"=\",\"a\",\"x\"]",
        // Normalising: De Morgan, contradictions, redundant prefixes, double negations.
        "(!(a = x or b = y)) and +c; [\"and\",[\"+\",\"c\"],[\"not\",[\"=\",\"a\",\"x\"]],[\"not\",[\"=\",\"b\",\"y\"]]]",
        "a = x and a = y; [\"false\"]",
        "$key = x and $key = y; [\"false\"]",
        "a = x and (!(a = x)); [\"false\"]",
        "a = x or (!(a = x)); [\"true\"]",
        "a ^ he and a ^ hello; [\"^\",\"a\",\"hello\"]",
        "a ^ he or a ^ hello; [\"^\",\"a\",\"he\"]",
        "!(!(a = x)); [\"=\",\"a\",\"x\"]",
        "a = x and (b = y and a = x); [\"and\",[\"=\",\"a\",\"x\"],[\"=\",\"b\",\"y\"]]",
        "a = x # a comment; [\"=\",\"a\",\"x\"]",
        "a + b = c; [\"=\",\"ab\",\"c\"]",
      })
  void readsAndNormalisesFilters(String filter, String json) {
    HttpResponse<String> answer = parse(filter);
    assertThat(answer.body()).isEqualTo(json);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "a =; unexpected end",
        "a b; expected =, !=",
        "a = b c; garbage at end of string: 'c'",
        "a = \"b; unterminated string",
        "a ~ \"(\"; no regular expression of RE2 syntax",
        "a = 10:30; unexpected token: 10:30",
        "a = $then; cannot find reference $then",
        "a = \"\\q\"; begins no escape",
        "(a = b; expected ')'",
      })
  void saysWhereATextIsWrong(String filter, String message) {
    HttpResponse<String> answer = parse(filter);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains(message, "\"type\":\"parse-error\"", "\"line\":1", "\"col\":", "\"colEnd\":");
  }

  @Test
  void boundsWhatItNests() {
    String deep = "(".repeat(100_000) + "a = b" + ")".repeat(100_000);
    assertThat(parse(deep).body()).contains("nested more than 100 times");
    assertThat(parse("!".repeat(100_000) + "a = b").body()).contains("nested more than 100 times");
    // A long chain nests nothing.
    assertThat(parse("a = b" + " or a = b".repeat(50_000)).body()).isEqualTo("[\"=\",\"a\",\"b\"]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "let $a = 1; expected exactly one expression",
        "average(5w); illegal unit: w",
        "median; no aggregation 'median'",
        "topk; missing required argument 'k'",
        "average(1m, 1m, 1m); takes no more arguments",
        "average(length=1m); has no argument length",
        "average(0s) from points(1h); at least 1 ms",
        "average from spreads(1h); unsupported source",
        "average where a = b; Range must be present",
        "average(1h) from points(1m); 0 buckets",
        "average(1ms) from points(1d); 86,400,000 buckets",
      })
  void refusesQueriesThatItCannotAnswer(String text, String message) {
    HttpResponse<String> answer = heroic.ask(text);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains(message).doesNotContain("Exception");
  }

  @Test
  void computesTimesAndRanges() {
    heroic.write("t", "", "", "[1609459200000,1],[1609459260000,2]");
    String filter = " where $key = t";
    assertThat(
            HeroicServer.values(
                heroic.ask("* from points({2020-12-31 23:59}, {2021-01-01} + 1m / 2)" + filter)))
        .isEqualTo("[[1609459200000,1.0]]");
    assertThat(
            HeroicServer.values(
                heroic.ask(
                    "sum(30s + 30s) from points({2020-12-31 23:59}, {2021-01-01 00:01})" + filter)))
        .isEqualTo("[[1609459200000,1.0],[1609459260000,2.0]]");
    assertThat(heroic.ask("* from points(1h)" + filter).body())
        .contains("\"result\":[]", "\"errors\":[]");
  }
}
