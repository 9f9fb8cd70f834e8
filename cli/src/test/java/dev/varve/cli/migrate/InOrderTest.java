package dev.varve.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InOrderTest {
  private static final Series SERIES = GroupKey.of("m", Tags.EMPTY).field(Series.DEFAULT_FIELD);

  private final List<String> passed = new ArrayList<>();
  private final InOrder order =
      new InOrder(
          SERIES,
          10,
          20,
          (series, samples, from, to) -> {
            for (int i = from; i < to; i++) {
              passed.add(samples.time(i) + "=" + samples.longAt(i));
            }
          });

  @Test
  void passesWhatLiesInTheRange() throws IOException {
    order.accept(samples(8, 9, 10, 11));
    order.accept(samples(12, 20, 21));
    assertThat(passed).containsExactly("10=2", "11=3", "12=0", "20=1");
  }

  @Test
  void passesOneSampleOfAnInstant() throws IOException {
    order.accept(samples(9, 9, 11, 11, 11, 12, 13, 13));
    order.accept(samples(13, 14, 14));
    assertThat(passed).containsExactly("11=4", "12=5", "13=7", "14=2");
  }

  @Test
  void refusesAnotherOrder() {
    assertThatThrownBy(() -> order.accept(samples(12, 11)))
        .isInstanceOf(CommandFailedException.class)
        .hasMessage("the source sends m{} at 11 after 12: a migration needs the order of time");
  }

  /** Returns samples whose values are their indexes. */
  private static Samples samples(long... times) {
    Samples samples = new Samples(Kind.INT64);
    for (int i = 0; i < times.length; i++) {
      samples.add(times[i], (long) i, 0);
    }
    return samples;
  }
}
