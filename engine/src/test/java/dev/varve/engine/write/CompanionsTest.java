package dev.varve.engine.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.MarkerTable;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.home.MarkerTable.Written;
import dev.varve.engine.tables.Applier;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.contract.FaultyStore;
import dev.varve.store.contract.FaultyStore.Faults;
import dev.varve.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompanionsTest {
  private static final Written ONE =
      new Written(0, GroupKey.of("m", Tags.of("host", "a")), TimeRange.ALL);
  private static final int LARGE = 10_000;

  private final FaultyStore store = new FaultyStore(new MemoryStore(), 1);
  private final MarkerTable markers = Home.open(store, "main", null).markers();
  private final Companions companions = companions();
  private long stamp;

  private Companions companions() {
    return new Companions(
        markers, new Applier(markers.table(), store.capabilities(markers.table().spec()).limits()));
  }

  @Test
  void refusesWhatNobodyCouldKeepInMind() {
    List<Marker> pending = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      pending.add(marker(LARGE));
      companions.put(List.of(pending.getLast()));
    }
    assertThatThrownBy(() -> companions.put(List.of(marker(1))))
        .isInstanceOfSatisfying(
            OverloadedException.class, e -> assertThat(e.retryAfter()).isGreaterThan(Duration.ZERO))
        .hasMessageContaining("10 writes")
        .hasMessageContaining("100,000 spans of keys");
    assertThat(companions.pending()).isEqualTo(pending);

    companions.repair(pending.getFirst(), () -> {});
    companions.put(List.of(marker(1)));
    assertThat(companions.pending()).hasSize(10);
    assertThat(companions().pending()).isEqualTo(companions.pending());
  }

  @Test
  void forgetsAMarkerThatSurelyWasNotPut() {
    store.faults(new Faults(0, 1, 0, 0, 0, 0));
    assertThatThrownBy(() -> companions.put(List.of(marker(1))))
        .isInstanceOfSatisfying(WriteFailedException.class, e -> assertThat(e.unknown()).isFalse());
    assertThat(companions.pending()).isEmpty();
  }

  @Test
  void keepsAMarkerThatMayHaveBeenPut() {
    Marker marker = marker(1);
    store.fallSilent(Duration.ofNanos(1));
    assertThatThrownBy(() -> companions.put(List.of(marker)))
        .isInstanceOfSatisfying(WriteFailedException.class, e -> assertThat(e.unknown()).isTrue());
    assertThat(companions.pending()).containsExactly(marker);

    store.speakAgain();
    companions.repair(marker, () -> {});
    assertThat(companions.pending()).isEmpty();
  }

  private Marker marker(int stretches) {
    return new Marker(null, ++stamp, Collections.nCopies(stretches, ONE));
  }
}
