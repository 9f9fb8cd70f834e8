package dev.varve.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * 50 monitored instances with 100 series each, scraped every 15 seconds for twelve hours. The
 * samples of a scrape share one time, which is some milliseconds off; one scrape of 70 is missing.
 */
final class MixedSeries implements DataSet {
  static final long STEP = 15 * SECOND;
  static final int INSTANCES = 50;

  private static final int STEPS = 2_880;
  private static final int ONE_MISSING_OF = 70;

  private final List<Entity> entities = new ArrayList<>();
  private final int instances;

  MixedSeries(double scale) {
    instances = DataSet.scaled(INSTANCES, scale);
    for (int instance = 0; instance < instances; instance++) {
      entities.addAll(MixedInstance.entities(instance));
    }
  }

  int instances() {
    return instances;
  }

  @Override
  public String name() {
    return "mixed";
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
    SplittableRandom random = new SplittableRandom(stream);
    List<MixedInstance> states = new ArrayList<>();
    for (int instance = 0; instance < instances; instance++) {
      states.add(new MixedInstance(random.split()));
    }
    double[] scraped = new double[MixedInstance.SERIES];
    double[] value = new double[1];
    for (int step = 0; step < STEPS; step++) {
      for (int instance = stream; instance < instances; instance += STREAMS) {
        states.get(instance).scrape(scraped);
        if (random.nextInt(ONE_MISSING_OF) == 0) {
          continue;
        }
        long time = START + step * STEP + instance * STEP / instances + random.nextInt(20);
        for (int series = 0; series < scraped.length; series++) {
          value[0] = scraped[series];
          rows.row(instance * MixedInstance.SERIES + series, time, value);
        }
      }
    }
  }
}
