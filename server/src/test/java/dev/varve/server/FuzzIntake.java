package dev.varve.server;

import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.Intake;
import dev.varve.server.operations.ServerMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Receives what fuzzed readers write, in a dataset in memory that is replaced from time to time.
 */
public final class FuzzIntake {
  /** Number of inputs per dataset, which bounds its memory. */
  private static final int INPUTS = 5_000;

  /** Sufficient for the few samples that queries find. */
  private static final QueryLimits FEW =
      new QueryLimits(
          1_000, 10_000, 8 << 20, 10_000, 10_000, Duration.ofMinutes(1), 10_000, 1 << 20);

  private static @Nullable Engine engine;
  private static int inputs;

  private FuzzIntake() {}

  /** Returns an intake for the next input. */
  public static Intake next() {
    return new Intake(
        engine().defaultDataset(), "fuzz", (dataset, dialect, result, coerced, nanos) -> {});
  }

  /** Returns a reservation for feeds, without a limit. */
  public static WriteBudget.Reservation memory() {
    return WriteBudget.unlimited();
  }

  /** Returns the engine for the next input. */
  public static Engine engine() {
    Engine open = engine;
    if (open == null || ++inputs % INPUTS == 0) {
      if (open != null) {
        open.close();
      }
      open = open();
      engine = open;
    }
    return open;
  }

  /** Writes a few numbers and texts for queries to find. */
  public static void write() {
    GroupKey one = GroupKey.of("up", Tags.of(Map.of("job", "a")));
    GroupKey other = GroupKey.of("up", Tags.of(Map.of("job", "b", "Z", "z")));
    BatchBuilder batch = new BatchBuilder();
    batch.add(one, 0, new Value.Real(Double.NaN));
    batch.add(one, 1_700_000_000_000L, new Value.Real(1.5));
    batch.add(one, 1_700_000_000_001L, new Value.Real(-2));
    batch.add(other, 1_700_000_000_000L, new Value.Int64(7));
    batch.add(other, 1_800_000_000_000L, new Value.Text("text"));
    next().write(batch.build(), false);
  }

  /** Returns a context for dialects that write to and read from the current engine. */
  public static DialectContext context() {
    return new DialectContext(
        FuzzIntake::engine,
        null,
        new RunningQueries(QueryCapacity.DEFAULTS, ended -> {}, Clock.systemUTC()),
        FEW,
        new ServerMetrics(),
        Door.OPEN,
        () -> null,
        dataset -> List.of(),
        false,
        Clock.systemUTC(),
        "fuzz");
  }

  private static Engine open() {
    try {
      Path directory = Files.createTempDirectory("varve-fuzz");
      directory.toFile().deleteOnExit();
      DatasetConfig dataset =
          new DatasetConfig(
              "main",
              new StoreConfig("memory", Map.of()),
              List.of(
                  new PeriodConfig(Instant.MIN, List.of(Layouts.of(Layouts.OF_CELLS, Map.of())))),
              null,
              DatasetConfig.Duplicates.LAST,
              Set.of(),
              false);
      return Engine.open(new EngineConfig(directory, 64 << 20, List.of(dataset), "main"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
