package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.SampleGroup;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Random points of a fixture: unsorted, some repeated, some without all fields. */
final class RandomWrites {
  private final LayoutFixture fixture;
  private final DomainPoints points;
  private final Random random;

  RandomWrites(LayoutFixture fixture, Random random) {
    this.fixture = fixture;
    this.points = new DomainPoints(fixture.layout());
    this.random = random;
  }

  /**
   * Returns points of at most {@code keysMax} keys at no more than {@code timesMax} times around
   * one.
   */
  Written around(long center, int keysMax, int timesMax) {
    Written written = new Written();
    List<GroupKey> keys = new ArrayList<>();
    for (int i = random.nextInt(keysMax); i >= 0; i--) {
      keys.add(fixture.key(random));
    }
    List<Long> times = new ArrayList<>();
    for (int i = random.nextInt(timesMax); i >= 0; i--) {
      boolean again = !times.isEmpty() && random.nextInt(3) == 0;
      long time =
          again
              ? times.get(random.nextInt(times.size()))
              : fixture.holdable(points.near(center, random));
      times.add(time);
      add(written, keys.get(random.nextInt(keys.size())), time);
    }
    return written;
  }

  /** Returns a range that contains everything written around the center. */
  TimeRange stretch(long center) {
    return points.around(center);
  }

  /** Returns a time in the range, not always one that the layout holds exactly. */
  long near(long center) {
    return points.near(center, random);
  }

  private void add(Written written, GroupKey key, long time) {
    boolean any = false;
    for (String field : fixture.fields()) {
      boolean last = field.equals(fixture.fields().getLast());
      if (fixture.fieldsComeTogether() || random.nextInt(3) > 0 || (last && !any)) {
        written.add(key, field, time, fixture.value(kindAt(field, time), random));
        any = true;
      }
    }
  }

  /** Returns the same kind for one field and time; which kind wins is tested elsewhere. */
  private Kind kindAt(String field, long time) {
    List<Kind> kinds = fixture.kinds(field);
    return kinds.get(Math.floorMod(Objects.hash(field, time), kinds.size()));
  }

  /** Writes all added samples, none of which may be refused. */
  void apply(Written written, LayoutTables tables) {
    for (SampleGroup group : written.groups()) {
      assertThat(tables.write(group)).as("refused of %s", group.key()).isEmpty();
    }
  }
}
