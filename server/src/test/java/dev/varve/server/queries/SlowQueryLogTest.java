package dev.varve.server.queries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.EndedQuery;
import dev.varve.query.running.QueryCapacity;
import dev.varve.query.running.QueryOrigin;
import dev.varve.query.running.RunningQueries;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlowQueryLogTest {
  private static EndedQuery ended(String text, String agent) {
    List<EndedQuery> ended = new ArrayList<>();
    try (RunningQueries queries =
        new RunningQueries(QueryCapacity.DEFAULTS, ended::add, Clock.systemUTC())) {
      queries.run(
          new QueryOrigin("default", "promql", text, "10.0.0.1:5", agent),
          QueryLimits.DEFAULTS,
          query -> {},
          query -> query.use().seriesMatched());
    }
    return ended.getFirst();
  }

  @Test
  void writesOneLineWhateverIsAsked() {
    EndedQuery query = ended("up{a=\"b\\\"}\n outcome=ok \u2028\u0000", "Grafana \"11\"\r\n");
    String line = SlowQueryLog.line(query);
    assertThat(line)
        .matches("id=[0-9a-f]{8}-1 language=promql outcome=ok ran_ms=\\d+ waited_ms=\\d+ .*")
        .contains(" series=0 samples=0 points=0 bytes_held=0 cells_read=0 bytes_read=0 ")
        .contains(" client=\"10.0.0.1:5\" agent=\"Grafana \\\"11\\\"\\r\\n\" ")
        .endsWith(" text=\"up{a=\\\"b\\\\\\\"}\\n outcome=ok \\u2028\\u0000\"");
    assertThat(line.codePoints()).noneMatch(c -> c < ' ');
  }

  @Test
  void keepsTheBeginningOfALongText() {
    String line = SlowQueryLog.line(ended("a".repeat(100_000), ""));
    assertThat(line).contains("aaa... (100,000 characters)\"").hasSizeLessThan(2500);
  }

  @Test
  void countsWhatAQueryWaited() {
    EndedQuery query = ended("1", "");
    EndedQuery waited =
        new EndedQuery(
            query.query(), query.outcome(), null, Duration.ofSeconds(2), Duration.ofSeconds(1));
    assertThat(new SlowQueryLog(Duration.ofSeconds(3)).isSlow(waited)).isTrue();
    assertThat(new SlowQueryLog(Duration.ofMillis(3001)).isSlow(waited)).isFalse();
  }

  @Test
  void keepsTheLastOnes() {
    SlowQueryLog log = new SlowQueryLog(Duration.ZERO);
    for (int i = 0; i < 60; i++) {
      log.accept(ended("m" + i, "agent"));
    }
    assertThat(log.last()).hasSize(50);
    assertThat(log.last().getFirst().origin().text()).isEqualTo("m59");
    assertThat(log.last().getLast().origin().text()).isEqualTo("m10");
    assertThat(log.last().getFirst().outcome()).isEqualTo("ok");
  }
}
