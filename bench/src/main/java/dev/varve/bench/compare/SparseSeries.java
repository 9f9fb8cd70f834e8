package dev.varve.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * 100,000 meters that send one counter every five minutes for seven days: many series of few
 * samples each. Each meter has its own offset within the five minutes.
 */
final class SparseSeries implements DataSet {
  private static final long STEP = 5 * MINUTE;
  private static final int STEPS = 2_016;
  private static final int METERS = 100_000;

  private final List<Entity> entities = new ArrayList<>();

  SparseSeries(double scale) {
    SplittableRandom random = new SplittableRandom(77);
    for (int meter = 0; meter < DataSet.scaled(METERS, scale); meter++) {
      TreeMap<String, String> tags = new TreeMap<>();
      tags.put("meter", "m%08d".formatted(random.nextInt(100_000_000)) + "-" + meter);
      tags.put("feeder", "feeder-" + meter / 200);
      tags.put("district", "district-" + meter / 5_000);
      tags.put("model", "E" + (300 + random.nextInt(6) * 50));
      entities.add(new Entity("energy_watthours_total", tags, Entity.VALUE, false));
    }
  }

  @Override
  public String name() {
    return "sparse";
  }

  @Override
  public List<Entity> entities() {
    return entities;
  }

  @Override
  public long end() {
    return START + STEPS * STEP;
  }

  @Override
  public void stream(int stream, Rows rows) {
    int meters = entities.size();
    SplittableRandom random = new SplittableRandom(stream);
    long[] energy = new long[meters];
    double[] value = new double[1];
    for (int step = 0; step < STEPS; step++) {
      for (int meter = stream; meter < meters; meter += STREAMS) {
        energy[meter] += random.nextInt(1 + meter % 200);
        value[0] = energy[meter];
        rows.row(meter, START + step * STEP + meter * STEP / meters, value);
      }
    }
  }
}
