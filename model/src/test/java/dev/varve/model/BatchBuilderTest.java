package dev.varve.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Tests that a batch holds every sample that was added, with few fields and with many. */
class BatchBuilderTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("a", "b"));

  private record Added(int field, int time, boolean whole) {}

  @Property(tries = 300)
  void aBatchHoldsWhatWasAdded(
      @ForAll @IntRange(min = 1, max = 40) int fields,
      @ForAll @Size(max = 200) List<@IntRange(max = 10_000) Integer> choices) {
    BatchBuilder builder = new BatchBuilder();
    List<Added> all = new ArrayList<>();
    for (int choice : choices) {
      Added one = new Added(choice % fields, choice / 2_500, choice % 3 == 0);
      all.add(one);
      Value value = one.whole() ? new Value.Int64(choice) : new Value.Real(choice);
      builder.add(KEY, "f" + one.field(), one.time(), value);
    }
    assertThat(builder.sampleCount()).isEqualTo(all.size());

    Map<Added, Integer> found = new HashMap<>();
    for (SampleGroup group : builder.build().groups()) {
      for (Column column : group.columns()) {
        boolean whole = column.kind() == Kind.INT64;
        for (int slot = 0; slot < group.size(); slot++) {
          if (column.has(slot)) {
            int field = Integer.parseInt(column.field().substring(1));
            found.merge(new Added(field, (int) group.times()[slot], whole), 1, Integer::sum);
          }
        }
      }
    }
    Map<Added, Integer> expected = new HashMap<>();
    all.forEach(one -> expected.merge(one, 1, Integer::sum));
    assertThat(found).isEqualTo(expected);
  }

  @Property(tries = 20)
  void fieldsOfOneTimeShareASlot(@ForAll @IntRange(min = 1, max = 40) int fields) {
    BatchBuilder builder = new BatchBuilder();
    for (int time = 0; time < 3; time++) {
      for (int field = 0; field < fields; field++) {
        builder.add(KEY, "f" + field, time, new Value.Real(field));
      }
    }
    SampleGroup group = builder.build().groups().getFirst();
    assertThat(group.size()).isEqualTo(3);
    assertThat(group.columns()).hasSize(fields);
  }
}
