package dev.varve.store.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RowOrderTest {
  private static final RowOutcome UNKNOWN = new RowOutcome(Status.UNKNOWN, "time ran out");

  /** The applied edits, in words, request by request. */
  private final List<String> applied = new ArrayList<>();

  private static MutationBatch batch(String... puts) {
    MutationBatch batch = new MutationBatch();
    for (String put : puts) {
      batch.put(Bytes.utf8(put.substring(0, 1)), 0, Bytes.utf8("q"), 1, Bytes.utf8(put));
    }
    return batch;
  }

  private Function<MutationBatch, List<RowOutcome>> ending(RowOutcome... ends) {
    return batch -> {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < batch.size(); i++) {
        text.append(i > 0 && batch.cells().sameRow(i - 1, i) ? "+" : " ");
        text.append(batch.cells().value(i).toUtf8());
      }
      applied.add(text.toString().strip());
      return List.of(ends);
    };
  }

  private List<RowOutcome> apply(
      MutationBatch batch, int editsMax, Function<MutationBatch, List<RowOutcome>> apply) {
    return RowOrder.apply(batch, editsMax, RowOrderTest::refusal, apply);
  }

  private static @Nullable String refusal(MutationBatch batch, int first, int end) {
    return batch.cells().value(first).toUtf8().endsWith("!") ? "refused" : null;
  }

  @Test
  void rowsThatComeOnceGoAsTheyAre() {
    MutationBatch batch = batch("a1", "a2", "b1", "c1!");
    assertThat(
            apply(
                batch,
                10,
                same -> {
                  assertThat(same).isSameAs(batch);
                  return List.of(UNKNOWN);
                }))
        .containsExactly(UNKNOWN);
    assertThat(apply(new MutationBatch(), 10, ending())).isEmpty();
  }

  @Test
  void mutationsOfOneRowBecomeOneInTheirOrder() {
    assertThat(apply(batch("a1", "b1", "a2", "c1", "b2", "a3"), 10, ending())).isEmpty();
    assertThat(applied).containsExactly("a1+a2+a3 b1+b2 c1");
  }

  @Test
  void theyEndAlikeAndWhatIsRefusedTakesNoneWithIt() {
    assertThat(apply(batch("a1", "b1", "a2!", "b2", "a3"), 10, ending(RowOutcome.APPLIED, UNKNOWN)))
        .extracting(RowOutcome::status)
        .containsExactly(
            Status.APPLIED, Status.UNKNOWN, Status.REJECTED, Status.UNKNOWN, Status.APPLIED);
    assertThat(applied).containsExactly("a1+a3 b1+b2");
  }

  @Test
  void editsBeyondOneMutationFollow() {
    assertThat(apply(batch("a1", "b1", "a2", "b2", "a3", "b3"), 2, ending())).isEmpty();
    assertThat(applied).containsExactly("a1+a2 b1+b2", "a3 b3");
  }

  @Test
  void nothingIsSentAfterAMutationThatMayStillArrive() {
    assertThat(
            apply(
                batch("a1", "b1", "a2", "b2", "a3", "b3"),
                2,
                batch ->
                    batch.size() > 2
                        ? ending(UNKNOWN, RowOutcome.APPLIED).apply(batch)
                        : ending().apply(batch)))
        .extracting(RowOutcome::status)
        .containsExactly(
            Status.UNKNOWN,
            Status.APPLIED,
            Status.UNKNOWN,
            Status.APPLIED,
            Status.NOT_APPLIED,
            Status.APPLIED);
    assertThat(applied).containsExactly("a1+a2 b1+b2", "b3");
  }

  @Test
  void rowsAreToldApartInLargeBatches() {
    MutationBatch large = new MutationBatch();
    for (int i = 0; i < 10_000; i++) {
      large.put(Bytes.utf8("row" + i), 0, Bytes.EMPTY, 1, Bytes.EMPTY);
    }
    List<MutationBatch> seen = new ArrayList<>();
    Function<MutationBatch, List<RowOutcome>> note =
        batch -> {
          seen.add(batch);
          return List.of();
        };
    apply(large, 10, note);
    assertThat(seen).singleElement().isSameAs(large);
    large.put(Bytes.utf8("row77"), 0, Bytes.EMPTY, 1, Bytes.EMPTY);
    apply(large, 10, note);
    assertThat(seen.getLast()).isNotSameAs(large);
    assertThat(seen.getLast().size()).isEqualTo(10_001);
    assertThat(seen.getLast().mutationEnd(77)).isEqualTo(79);
  }
}
