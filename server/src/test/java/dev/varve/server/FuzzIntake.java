package dev.varve.server;

import dev.varve.engine.DatasetConfig;
import dev.varve.engine.DatasetConfig.PeriodConfig;
import dev.varve.engine.DatasetConfig.StoreConfig;
import dev.varve.engine.Engine;
import dev.varve.engine.EngineConfig;
import dev.varve.layout.Layouts;
import dev.varve.query.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.Intake;
import dev.varve.server.operations.ServerMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes what fuzzed readers write, into a dataset in memory that is new now and then. */
public final class FuzzIntake {
  /** What is in memory stays small. */
  private static final int INPUTS = 5_000;

  private static @Nullable Engine engine;
  private static int inputs;

  private FuzzIntake() {}

  /** One for the next input. */
  public static Intake next() {
    return new Intake(
        engine().defaultDataset(), "fuzz", (dataset, dialect, result, coerced, nanos) -> {});
  }

  /** Where it writes, for the next input. */
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

  /** What dialects that write there work with. */
  public static DialectContext context() {
    return new DialectContext(
        FuzzIntake::engine,
        null,
        new RunningQueries(QueryCapacity.DEFAULTS, ended -> {}, Clock.systemUTC()),
        QueryLimits.DEFAULTS,
        new ServerMetrics(),
        Door.OPEN,
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
                  new PeriodConfig(Instant.MIN, List.of(Layouts.of(Layouts.DEFAULT, Map.of())))),
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
