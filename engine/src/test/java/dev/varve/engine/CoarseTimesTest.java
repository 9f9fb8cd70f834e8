package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Capabilities;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Datasets on a store whose cell times are coarser than microseconds, such as Bigtable. */
class CoarseTimesTest {
  private static final long STEP = 1000;

  /** By table: the milliseconds of the cell times of each batch. */
  private final Map<String, List<TreeSet<Long>>> written = new TreeMap<>();

  private final class Coarse extends StoreAround {
    private Coarse(Store store) {
      super(store);
    }

    @Override
    public Capabilities capabilities(TableSpec spec) {
      Capabilities fine = super.capabilities(spec);
      return new Capabilities(
          new Capabilities.CellTimes(0, Long.MAX_VALUE / STEP * STEP - STEP, STEP),
          fine.deletes(),
          fine.order(),
          fine.limits(),
          fine.powers());
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      return new TableAround(super.open(spec, mode)) {
        @Override
        public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
          TreeSet<Long> steps = new TreeSet<>();
          for (int i = 0; i < batch.size(); i++) {
            if (batch.edit(i) == Edit.PUT) {
              steps.add(Math.floorDiv(batch.cells().time(i), STEP));
            }
          }
          written.computeIfAbsent(spec.name(), name -> new ArrayList<>()).add(steps);
          return super.apply(batch, durability);
        }
      };
    }
  }

  private static Batch at(long time, int points) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < points; i++) {
      batch.add(GroupKey.of("m", Tags.of("host", "a")), time, new Value.Real(i));
    }
    return batch.build();
  }

  @Test
  void everyBatchHasStepsOfItsOwn() {
    try (TestEngine test =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("buckets")))) {
      test.around(Coarse::new);
      for (int points : new int[] {1, 2500, 1, 1}) {
        assertThat(test.dataset().write(at(1_700_000_000_000L, points)).accepted())
            .isEqualTo(points);
      }
    }
    written.forEach((table, batches) -> {
      long last = -1;
      for (TreeSet<Long> steps : batches) {
        if (!steps.isEmpty()) {
          assertThat(steps.first()).as("table %s, %s", table, batches).isGreaterThan(last);
          last = steps.last();
        }
      }
    });
    List<TreeSet<Long>> samples =
        written.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith("main."))
            .max((a, b) -> Integer.compare(a.getValue().size(), b.getValue().size()))
            .orElseThrow()
            .getValue();
    assertThat(samples).hasSize(4);
    assertThat(written).containsKey(".clock");
  }
}
