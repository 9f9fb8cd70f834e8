package dev.varve.engine.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.SizeLimits;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ApplierTest {
  private static final Bytes ROW = Bytes.utf8("0123456789");

  /** Bytes of an edit of the row with a value of 26 bytes. */
  private static final int WEIGHT = 10 + 26 + SizeLimits.EDIT_BYTES;

  /** Applies everything and records the number of edits per call. */
  private static final class Noting implements Table {
    private final List<Integer> sizes = new ArrayList<>();

    @Override
    public TableSpec spec() {
      return new TableSpec(
          "t", List.of(FamilySpec.latest("f")), Resolution.MILLISECONDS, Partitioning.NONE);
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      sizes.add(batch.size());
      return List.of();
    }

    @Override
    public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
      throw new UnsupportedOperationException("nothing is read");
    }

    @Override
    public <P extends Power> Optional<P> power(Class<P> power) {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }

  private static List<Integer> sizes(MutationBatch batch, int editsPerRow, long mutationBytes) {
    Noting table = new Noting();
    SizeLimits limits =
        new SizeLimits(100, 100, 100, 100, 1000, 1000, 1, editsPerRow, mutationBytes);
    assertThat(new Applier(table, limits).apply(batch, batch.size(), Durability.SYNCED)).isEmpty();
    return table.sizes;
  }

  private static MutationBatch edits(int count) {
    MutationBatch batch = new MutationBatch();
    for (int i = 0; i < count; i++) {
      batch.put(ROW, 0, Bytes.EMPTY, i, Bytes.of(new byte[26]));
    }
    return batch;
  }

  @Test
  void cutsARowThatIsHeavierThanAMutationMayBe() {
    assertThat(sizes(edits(10), 100, 4 * WEIGHT)).containsExactly(4, 4, 2);
    assertThat(sizes(edits(10), 100, 10 * WEIGHT)).containsExactly(10);
    assertThat(sizes(edits(10), 100, Long.MAX_VALUE)).containsExactly(10);
  }

  @Test
  void cutsARowOfTooManyEdits() {
    assertThat(sizes(edits(10), 3, Long.MAX_VALUE)).containsExactly(3, 3, 3, 1);
  }

  @Test
  void leavesRowsTogetherThatAreHeavyOnlyTogether() {
    MutationBatch batch = edits(3);
    batch.put(Bytes.utf8("another..."), 0, Bytes.EMPTY, 1, Bytes.of(new byte[26]));
    assertThat(sizes(batch, 100, 3 * WEIGHT)).containsExactly(4);
  }

  @Test
  void handsInAnEditAloneThatNoStoreTakes() {
    assertThat(sizes(edits(2), 100, WEIGHT - 1)).containsExactly(1, 1);
  }
}
