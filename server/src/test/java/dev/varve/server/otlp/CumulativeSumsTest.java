package dev.varve.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.server.otlp.CumulativeSums.Added;
import dev.varve.server.otlp.CumulativeSums.Running;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class CumulativeSumsTest {
  private final CumulativeSums sums = new CumulativeSums(3);

  private static CumulativeSums.Key key(String host) {
    return new CumulativeSums.Key("d", GroupKey.of("m", Tags.of("host", host)));
  }

  /** Adds one point in a request of its own. */
  private Added add(String host, long start, long time, double value) {
    CumulativeSums.Request request = sums.request();
    Added added =
        Objects.requireNonNull(request.add(key(host), start, Running.number(time, value)));
    request.keep();
    return added;
  }

  @Test
  void goesOnWhereThereIsNoGap() {
    assertThat(add("a", 0, 10, 1)).extracting(Added::restarted).isEqualTo(true);
    assertThat(add("a", 10, 20, 2)).isEqualTo(new Added(Running.number(20, 3), false));
    assertThat(add("a", 0, 30, 4))
        .as("no start")
        .isEqualTo(new Added(Running.number(30, 7), false));
    assertThat(add("a", 31, 40, 8)).as("a gap").isEqualTo(new Added(Running.number(40, 8), true));
  }

  @Test
  void countsAPointOnceThatComesTwice() {
    add("a", 1, 10, 1);
    add("a", 10, 20, 2);
    assertThat(add("a", 10, 20, 2)).isEqualTo(new Added(Running.number(20, 3), false));
    assertThat(sums.request().add(key("a"), 1, Running.number(15, 5))).as("late").isNull();
  }

  @Test
  void aRequestThatIsNotKeptHasAddedNothing() {
    add("a", 1, 10, 1);
    CumulativeSums.Request failed = sums.request();
    failed.add(key("a"), 10, Running.number(20, 2));
    assertThat(
            Objects.requireNonNull(failed.add(key("a"), 20, Running.number(30, 2))).sum().value())
        .isEqualTo(5);
    assertThat(add("a", 10, 20, 2)).isEqualTo(new Added(Running.number(20, 3), false));
  }

  @Test
  void whoHadNoPointForLongestGivesWay() {
    for (String host : new String[] {"a", "b", "c", "a", "d"}) {
      add(host, 1, host.equals("a") && sums.size() == 3 ? 20 : 10, 1);
    }
    assertThat(sums.size()).isEqualTo(3);
    assertThat(add("a", 20, 30, 1).restarted()).isFalse();
    assertThat(add("b", 10, 20, 1).restarted()).isTrue();
  }

  @Test
  void histogramsWithOtherBoundsBeginAnew() {
    CumulativeSums.Request request = sums.request();
    double[] bounds = {1, 2};
    request.add(key("a"), 0, new Running(10, 5, 3, new long[] {1, 1, 1}, bounds));
    Added more =
        Objects.requireNonNull(
            request.add(key("a"), 10, new Running(20, 7, 2, new long[] {0, 2, 0}, bounds.clone())));
    assertThat(more.restarted()).isFalse();
    assertThat(more.sum().count()).isEqualTo(5);
    assertThat(more.sum().value()).isEqualTo(12);
    assertThat(more.sum().buckets()).containsExactly(1, 3, 1);
    assertThat(
            Objects.requireNonNull(
                    request.add(
                        key("a"), 20, new Running(30, 1, 1, new long[] {1, 0}, new double[] {1})))
                .restarted())
        .isTrue();
    request.end(key("a"));
    assertThat(
            Objects.requireNonNull(
                    request.add(
                        key("a"), 30, new Running(40, 1, 1, new long[] {1, 0}, new double[] {1})))
                .restarted())
        .isTrue();
  }
}
