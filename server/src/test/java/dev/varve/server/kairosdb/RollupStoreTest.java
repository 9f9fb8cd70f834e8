package dev.varve.server.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Engine;
import dev.varve.engine.config.EngineConfig;
import dev.varve.server.TestServer;
import dev.varve.server.kairosdb.Properties.Length;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leases let one of several servers run a task; schedules do not drift. */
class RollupStoreTest {
  @Test
  void letsOneServerRunATask(@TempDir Path directory) {
    try (Engine engine =
        Engine.open(
            new EngineConfig(
                directory,
                64 << 20,
                List.of(TestServer.dataset("buckets", "memory")),
                "buckets"))) {
      RollupStore store = new RollupStore(engine.defaultDataset());
      assertThat(store.lease("t", "a", 100, 200)).isTrue();
      assertThat(store.lease("t", "b", 150, 250)).isFalse();
      assertThat(store.lease("t", "a", 150, 250)).isTrue();
      assertThat(store.lease("other", "b", 150, 250)).isTrue();
      assertThat(store.lease("t", "b", 249, 349)).isFalse();
      assertThat(store.lease("t", "b", 250, 350)).isTrue();
      assertThat(store.lease("t", "a", 260, 360)).isFalse();
      store.release("t", "a");
      assertThat(store.lease("t", "a", 260, 360)).isFalse();
      store.release("t", "b");
      assertThat(store.lease("t", "a", 260, 360)).isTrue();
    }
  }

  @Test
  void skipsMissedRunsWithoutDrifting() {
    Length hours = new Length(2, TimeUnit.HOURS);
    long hour = 3_600_000;
    assertThat(RollupStatus.next(10 * hour, hours, 10 * hour)).isEqualTo(12 * hour);
    assertThat(RollupStatus.next(10 * hour, hours, 10 * hour + 1)).isEqualTo(12 * hour);
    assertThat(RollupStatus.next(10 * hour, hours, 15 * hour)).isEqualTo(16 * hour);
    assertThat(RollupStatus.next(10 * hour, hours, 1_000_000 * hour)).isEqualTo(1_000_002 * hour);
    assertThat(RollupStatus.next(0, new Length(Long.MAX_VALUE, TimeUnit.YEARS), 1))
        .isEqualTo(Long.MAX_VALUE);
  }
}
