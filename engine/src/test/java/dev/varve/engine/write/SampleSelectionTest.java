package dev.varve.engine.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SampleSelectionTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.EMPTY);

  private static SampleGroup group(Random random, int indexes) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < indexes; i++) {
      batch.add(KEY, "a", i, new Value.Real(i / 2.0));
      if (random.nextBoolean()) {
        batch.add(KEY, "b", i, new Value.Text("t".repeat(i % 4) + i));
      }
      if (i % 5 == 0) {
        batch.add(KEY, "c", i, new Value.Int64(i));
      }
    }
    return batch.build().groups().getFirst();
  }

  private static List<String> samples(SampleGroup group) {
    List<String> samples = new ArrayList<>();
    for (int i = 0; i < group.size(); i++) {
      for (Column column : group.columns()) {
        if (column.has(i)) {
          samples.add(group.times()[i] + " " + column.field() + " " + value(column, i));
        }
      }
    }
    return samples;
  }

  private static Object value(Column column, int index) {
    return switch (column) {
      case Column.Doubles doubles -> doubles.values()[index];
      case Column.Longs longs -> longs.values()[index];
      case Column.Texts texts ->
          new String(
              texts.bytes(),
              texts.start(index),
              texts.end(index) - texts.start(index),
              StandardCharsets.UTF_8);
    };
  }

  @Test
  void selectsPlacesWithAllTheirValues() {
    Random random = new Random(3);
    for (int round = 0; round < 50; round++) {
      SampleGroup group = group(random, random.nextInt(1, 150));
      BitSet wanted = new BitSet();
      for (int i = 0; i < group.size(); i++) {
        wanted.set(i, random.nextInt(3) == 0);
      }
      wanted.set(random.nextInt(group.size()));

      List<String> expected =
          samples(group).stream()
              .filter(sample -> wanted.get(Integer.parseInt(sample.split(" ", -1)[0])))
              .toList();
      assertThat(samples(SampleSelection.select(group, wanted))).isEqualTo(expected);
    }
  }

  @Test
  void dropsSingleValuesAndPlacesThatAreEmptyThen() {
    SampleGroup group = group(new Random(4), 100);
    List<BitSet> dropped = new ArrayList<>();
    group.columns().forEach(column -> dropped.add(new BitSet()));
    dropped.getFirst().set(0, 50);
    List<String> expected =
        samples(group).stream()
            .filter(sample -> {
              String[] words = sample.split(" ", -1);
              return !words[1].equals("a") || Integer.parseInt(words[0]) >= 50;
            })
            .toList();

    SampleGroup rest = SampleSelection.without(group, dropped);
    assertThat(rest).isNotNull();
    assertThat(samples(rest)).isEqualTo(expected);
    assertThat(rest.size()).isLessThan(100);
    dropped.forEach(column -> column.set(0, 100));
    assertThat(SampleSelection.without(group, dropped)).isNull();
  }
}
