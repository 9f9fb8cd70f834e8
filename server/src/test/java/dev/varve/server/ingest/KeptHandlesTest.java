package dev.varve.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.write.SeriesHandle;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.server.TestServer;
import dev.varve.server.ingest.KnownKeys.Known;
import dev.varve.server.relabel.Relabelling;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handles that stay with a key, and those that are asked for again. */
class KeptHandlesTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final int FIELDS_MAX = 64;

  @Test
  void stayWithFewFieldsOfOneDoor(@TempDir Path directory) {
    EngineConfig config =
        new EngineConfig(
            directory, 64 << 20, List.of(TestServer.dataset("blocks", "memory")), "blocks");
    try (Engine engine = Engine.open(config)) {
      Dataset dataset = engine.defaultDataset();
      BatchBuilder batch = new BatchBuilder();
      batch.add(KEY, 1_700_000_000_000L, new Value.Real(1));
      assertThat(dataset.write(batch.build()).accepted()).isOne();
      SeriesHandle handle =
          Objects.requireNonNull(dataset.handle(KEY, Series.DEFAULT_FIELD, Kind.DOUBLE));
      KnownKeys keys = new KnownKeys(1 << 20);
      Known known = keys.remember(dataset, name(0), 0, 1, KEY);
      for (int field = 0; field < FIELDS_MAX; field++) {
        assertThat(keys.add(known, Door.OPEN, name(field), handle)).as("field %d", field).isTrue();
      }
      assertThat(keys.add(known, Door.OPEN, name(FIELDS_MAX), handle)).as("one more").isFalse();

      Door other = new Door(Relabelling.NONE, LabelLimits.DEFAULTS);
      for (Door door : List.of(other, Door.OPEN, other)) {
        assertThat(keys.add(known, door, name(0), handle)).as("doors take turns").isFalse();
        assertThat(keys.add(known, door, name(1), handle)).as("doors take turns").isFalse();
        assertThat(known.handle(door, 0, name(1), 0, 1, Kind.DOUBLE)).isSameAs(handle);
      }
      known.forget();
      assertThat(keys.add(known, other, name(0), handle)).as("all begins anew").isTrue();
    }
  }

  private static byte[] name(int field) {
    return new byte[] {(byte) field};
  }
}
