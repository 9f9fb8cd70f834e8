package dev.varve.formats.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExpositionTest {
  private final Exposition text =
      new Exposition(false, Resolution.MILLISECONDS, () -> 77, Map.of(), bytes -> {});
  private final Exposition open =
      new Exposition(
          true, Resolution.MILLISECONDS, () -> 77, Map.of("job", "given", "env", ""), bytes -> {});

  @Test
  void readsWhatTextSaysOfMetrics() {
    assertThat(
            Reading.of(
                text,
                """
                # HELP a_total Lines,\\n and \\\\ and \\"quotes\\".
                # TYPE a_total counter
                #   TYPE   b  untyped
                # a comment # TYPE c counter
                # UNIT b seconds
                # EOF
                a_total{x="1"} 3 1000
                # HELP "ünï.code" Name.
                # TYPE "ünï.code" gauge
                {"ünï.code", "lä"="1"} 4
                # HELP bare
                """
                    .split("\n")))
        .containsExactly("a_total{x=\"1\"} 1000 3.0", "ünï.code{lä=\"1\"} 77 4.0");
    assertThat(text.metadata())
        .containsExactly(
            new MetricMetadata("a_total", "counter", "", "Lines,\n and \\ and \\\"quotes\\\"."),
            new MetricMetadata("b", "unknown", "", ""),
            new MetricMetadata("ünï.code", "gauge", "", "Name."),
            new MetricMetadata("bare", "unknown", "", ""));
    assertThat(text.problemAtEnd()).isEmpty();
  }

  @Test
  void readsOpenMetrics() {
    assertThat(
            Reading.of(
                open,
                """
                # TYPE acme_http_router_request_seconds summary
                # UNIT acme_http_router_request_seconds seconds
                # HELP acme_http_router_request_seconds Latency of \\"all\\".
                acme_http_router_request_seconds_sum{path="/api/v1",method="GET",job="own"} 9036.32 1520879607.7890001
                acme_http_router_request_seconds_count{env="x"} 807283.0 1520879608
                # TYPE foo histogram
                foo_bucket{le="1.0"} 11 # {trace_id="KOO5S4vxi0o"} 0.67
                foo_bucket{le="+Inf"} 17 1520879607.789 # {trace_id="oHg5SJYRHA0"} 9.8 1520879607.789
                foo_created 1520872607.123 -1.5
                bar 1 1e3
                # EOF
                """
                    .split("\n")))
        .containsExactly(
            "acme_http_router_request_seconds_sum{job=\"given\",method=\"GET\",path=\"/api/v1\"} 1520879607789 9036.32",
            "acme_http_router_request_seconds_count{job=\"given\"} 1520879608000 807283.0",
            "foo_bucket{job=\"given\",le=\"1.0\"} 77 11.0",
            "foo_bucket{job=\"given\",le=\"+Inf\"} 1520879607789 17.0",
            "foo_created{job=\"given\"} -1500 1.520872607123E9",
            "bar{job=\"given\"} 1000000 1.0");
    assertThat(open.metadata())
        .containsExactly(
            new MetricMetadata(
                "acme_http_router_request_seconds", "summary", "seconds", "Latency of \"all\"."),
            new MetricMetadata("foo", "histogram", "", ""));
    assertThat(open.problemAtEnd()).isEmpty();
    assertThat(Reading.complaint(open, "late 1")).contains("after '# EOF'");
  }

  @Test
  void aBodyThatWasCutOffIsKnown() {
    assertThat(open.problemAtEnd()).contains("has no '# EOF'");
  }

  @Test
  void saysWhatIsWrong() {
    assertThat(Reading.complaint(text, "# TYPE a conter")).contains("'conter' is no type");
    assertThat(Reading.complaint(text, "# TYPE")).contains("name of a metric is missing");
    assertThat(Reading.complaint(text, "# HELP \"a b")).contains("no closing quote");
    assertThat(Reading.complaint(text, "a 1 1.5")).contains("is not an integer");
    assertThat(Reading.complaint(text, "a 1 1 # {x=\"y\"} 1")).contains("after the time");
    assertThat(Reading.complaint(open, "a 1 1e999")).contains("too large");
    assertThat(Reading.complaint(open, "a 1 1e15")).contains("too large");
    assertThat(Reading.complaint(open, "a 1 1 2")).contains("after the time");
    assertThat(Reading.of(open, "a 1 0." + "1".repeat(100))).hasSize(1);
  }

  @Test
  void knowsOpenMetricsByTheTypeOfTheBody() {
    assertThat(Exposition.isOpenMetrics("application/openmetrics-text; version=1.0.0")).isTrue();
    assertThat(Exposition.isOpenMetrics("text/plain; version=0.0.4")).isFalse();
  }
}
