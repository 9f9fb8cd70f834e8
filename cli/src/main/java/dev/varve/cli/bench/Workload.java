package dev.varve.cli.bench;

import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The points that every layout and store receives: those of agents on a hundred machines, one value
 * of each series per minute, the same in every run.
 *
 * @param points total number; a multiple of the number of series
 */
record Workload(int points, Resolution resolution) {
  static final int SERIES = 100;
  static final String METRIC = "bench.load";

  /** 2026-01-01T00:00:00Z. */
  static final long START_SECONDS = 1_767_225_600;

  static final long STEP_SECONDS = 60;
  private static final int STEPS_A_BATCH = 10;

  int steps() {
    return points / SERIES;
  }

  /** Tags from which every layout can build its keys. */
  static GroupKey key(int series) {
    return GroupKey.of(
        METRIC,
        Tags.of(
            "host", "host-" + series,
            "exchange", "x",
            "symbol", "s" + series,
            "region", "r" + series % 5,
            "meter", "m" + series));
  }

  long time(int step) {
    return Resolution.SECONDS.convert(START_SECONDS + step * STEP_SECONDS, resolution);
  }

  List<Batch> batches() {
    Random random = new Random(42);
    double[] values = random.doubles(SERIES, 0, 100).toArray();
    List<Batch> batches = new ArrayList<>();
    for (int first = 0; first < steps(); first += STEPS_A_BATCH) {
      BatchBuilder batch = new BatchBuilder();
      for (int series = 0; series < SERIES; series++) {
        for (int step = first; step < Math.min(steps(), first + STEPS_A_BATCH); step++) {
          values[series] = Math.round((values[series] + random.nextGaussian()) * 100) / 100.0;
          batch.add(key(series), time(step), new Value.Real(values[series]));
        }
      }
      batches.add(batch.build());
    }
    return batches;
  }
}
