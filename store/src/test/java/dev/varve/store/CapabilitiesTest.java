package dev.varve.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Resolution;
import dev.varve.store.memory.MemoryStore;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CapabilitiesTest {
  private static final FamilySpec DATA =
      new FamilySpec("data", TimeUse.DATA, FamilySpec.ALL_VERSIONS);

  private static TableSpec spec(Resolution unit, FamilySpec... families) {
    return new TableSpec("t", List.of(families), unit, Partitioning.NONE);
  }

  private static long step(Capabilities.@Nullable CellTimes times, TableSpec spec) {
    try (Store store = new MemoryStore()) {
      Capabilities any = store.capabilities(spec);
      return new Capabilities(times, any.deletes(), any.order(), any.limits(), any.powers())
          .clockStepMicros(spec);
    }
  }

  @Test
  void saysHowManyMicrosecondsOfAClockAreOne() {
    TableSpec micros = spec(Resolution.MICROSECONDS, DATA, FamilySpec.latest("clock"));
    assertThat(step(new Capabilities.CellTimes(0, 1_000_000, 1000), micros)).isEqualTo(1000);
    assertThat(step(Capabilities.CellTimes.ANY, micros)).isEqualTo(1);
    assertThat(step(null, micros)).isEqualTo(1);
    TableSpec nanos = spec(Resolution.NANOSECONDS, FamilySpec.latest("clock"));
    assertThat(step(new Capabilities.CellTimes(0, 1L << 60, 1_000_000), nanos)).isEqualTo(1000);
    TableSpec data = spec(Resolution.MICROSECONDS, DATA);
    assertThat(step(new Capabilities.CellTimes(0, 1_000_000, 1000), data)).isEqualTo(1);
  }
}
