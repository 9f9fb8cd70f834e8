package dev.varve.server.scrape;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.MetricMetadata;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ScrapedTextTest {
  private static List<String> read(String type, @Nullable String fallback, String body)
      throws ScrapeException {
    List<String> samples = new ArrayList<>();
    ScrapedText.read(
        new ScrapeClient.Answer(type, body.getBytes(UTF_8)),
        fallback,
        77,
        (key, timed, time, value) -> samples.add(key + " " + value + " " + time + " " + timed),
        bytes -> {});
    return samples;
  }

  @Test
  void readsPrometheusText() throws ScrapeException {
    assertThat(
            read(
                "text/plain; version=0.0.4; charset=utf-8",
                null,
                "# TYPE a counter\n\na 1\nb{x=\"y # z\"} 2.5 1000\n{\"c.d\",x=\"1\"} NaN"))
        .containsExactly(
            "a{} 1.0 77 false", "b{x=\"y # z\"} 2.5 1000 true", "c.d{x=\"1\"} NaN 77 false");
  }

  @Test
  void readsOpenMetrics() throws ScrapeException {
    String body =
        """
        # TYPE a counter
        # UNIT a seconds
        a_total 1 1700000000.125
        a_bucket{le="1.0"} 17 # {trace_id="x # y"} 0.67 1700000000
        a_bucket{le="+Inf",x="} # {"} 18 1700000001 # {} 0.5
        {"quoted.name",x="1"} 3
        # EOF
        """;
    List<String> expected =
        List.of(
            "a_total{} 1.0 1700000000125 true",
            "a_bucket{le=\"1.0\"} 17.0 77 false",
            "a_bucket{le=\"+Inf\",x=\"} # {\"} 18.0 1700000001000 true",
            "quoted.name{x=\"1\"} 3.0 77 false");
    assertThat(read("application/openmetrics-text; version=1.0.0", null, body)).isEqualTo(expected);
    assertThat(read("text/html", "OpenMetricsText1.0.0", body)).isEqualTo(expected);
  }

  /** The format is that of Go's floats, always with a decimal point or an exponent. */
  @Test
  void writesBoundsAndQuantilesInOneForm() throws ScrapeException {
    String[][] forms = {
      {"1", "1.0"},
      {"1.0", "1.0"},
      {"+1", "1.0"},
      {"0", "0.0"},
      {"-0", "0.0"},
      {"-1", "-1.0"},
      {"0.50", "0.5"},
      {".5", "0.5"},
      {"5.", "5.0"},
      {"120", "120.0"},
      {"100000", "100000.0"},
      {"999999", "999999.0"},
      {"1000000", "1e+06"},
      {"1234567", "1.234567e+06"},
      {"1e3", "1000.0"},
      {"0.0001", "0.0001"},
      {"0.00001", "1e-05"},
      {"0.1", "0.1"},
      {"1e21", "1e+21"},
      {"1e-320", "1e-320"},
      {"4.9E-324", "5e-324"},
      {"+Inf", "+Inf"},
      {"inf", "+Inf"},
      {"Infinity", "+Inf"},
      {"-INF", "-Inf"},
      {"nan", "NaN"},
      {"0x1p-2", "0.25"},
      {"+NaN", "+NaN"},
      {"1e999", "1e999"},
      {"1f", "1f"},
      {"one", "one"},
    };
    for (String[] form : forms) {
      String bucket =
          "# TYPE h histogram\nh_bucket{le=\"%s\",quantile=\"1\"} 1\n".formatted(form[0]);
      assertThat(read("text/plain", null, bucket))
          .containsExactly("h_bucket{le=\"%s\",quantile=\"1\"} 1.0 77 false".formatted(form[1]));
      String quantile = "# TYPE s summary\ns{le=\"1\",quantile=\"%s\"} 1\n".formatted(form[0]);
      assertThat(read("text/plain", null, quantile))
          .containsExactly("s{le=\"1\",quantile=\"%s\"} 1.0 77 false".formatted(form[1]));
    }
  }

  /** As in Prometheus, a type applies until the next TYPE line. */
  @Test
  void leavesBoundsOfOtherTypesAsTheyAre() throws ScrapeException {
    assertThat(
            read(
                "text/plain",
                null,
                """
                a{le="1"} 1
                # TYPE h histogram
                h_bucket{le="1"} 1
                other{le="2"} 1
                # TYPE g gauge
                g{le="1"} 1
                # TYPE u untyped
                u{le="1",quantile="1"} 1
                """))
        .containsExactly(
            "a{le=\"1\"} 1.0 77 false",
            "h_bucket{le=\"1.0\"} 1.0 77 false",
            "other{le=\"2.0\"} 1.0 77 false",
            "g{le=\"1\"} 1.0 77 false",
            "u{le=\"1\",quantile=\"1\"} 1.0 77 false");
    assertThat(
            read(
                "application/openmetrics-text",
                null,
                "# TYPE h gaugehistogram\nh_bucket{le=\"1\"} 1\n# EOF\n"))
        .containsExactly("h_bucket{le=\"1\"} 1.0 77 false");
  }

  @Test
  void keepsWhatIsSaidOfMetrics() throws ScrapeException {
    String body = "# HELP a Seconds.\n# TYPE a counter\n# UNIT a seconds\na_total 1\n# EOF\n";
    assertThat(metadata("text/plain", body))
        .containsExactly(new MetricMetadata("a", "counter", "", "Seconds."));
    assertThat(metadata("application/openmetrics-text", body))
        .containsExactly(new MetricMetadata("a", "counter", "seconds", "Seconds."));
  }

  private static Collection<MetricMetadata> metadata(String type, String body)
      throws ScrapeException {
    return ScrapedText.read(
        new ScrapeClient.Answer(type, body.getBytes(UTF_8)),
        null,
        77,
        (key, timed, time, value) -> {},
        bytes -> {});
  }

  @Test
  void saysWhyNot() {
    assertThatThrownBy(() -> read("application/openmetrics-text", null, "a 1\n"))
        .hasMessageContaining("has no '# EOF' as its last line");
    assertThatThrownBy(() -> read("application/openmetrics-text", null, "# EOF\na 1\n"))
        .hasMessage("line 2: unexpected line after '# EOF'");
    assertThatThrownBy(() -> read("application/openmetrics-text", null, "a 1 x\n# EOF\n"))
        .hasMessage("line 1: time 'x' is not a number");
    assertThatThrownBy(() -> read("text/html", null, "a 1\n"))
        .hasMessageContaining(
            "the target sends the Content-Type 'text/html', which is not supported");
    assertThatThrownBy(() -> read("", null, "a 1\n")).hasMessageContaining("sends no Content-Type");
    assertThatThrownBy(() -> read("text/plain", null, "a 1\nb x\n"))
        .hasMessageStartingWith("line 2: ");
    assertThatThrownBy(() -> read("text/plain", null, "# TYPE a conter\n"))
        .hasMessageStartingWith("line 1: 'conter' is no type of a metric");
  }
}
