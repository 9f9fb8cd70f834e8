package dev.varve.engine.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class PaceTest {
  @Test
  void holdsUpWhatIsFasterThanItMayBe() {
    long start = System.nanoTime();
    new Pace(1000, () -> false).keep(150);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(145_000_000L);
  }

  @Test
  void letsGoWhatMayBeAsFastAsItCanAndWhatIsStopped() {
    new Pace(0, () -> false).keep(Long.MAX_VALUE);
    AtomicBoolean stopped = new AtomicBoolean(true);
    new Pace(1, stopped::get).keep(1_000_000);
  }
}
