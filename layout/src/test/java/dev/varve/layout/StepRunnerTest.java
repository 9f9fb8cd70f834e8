package dev.varve.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Limits;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepRunnerTest {
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes QUALIFIER = Bytes.utf8("q");
  private static final TableSpec SPEC =
      new TableSpec(
          "t", List.of(FamilySpec.latest("f")), Resolution.MILLISECONDS, Partitioning.NONE);

  private final MemoryStore store = new MemoryStore();
  private final Table table = store.open(SPEC, Store.OpenMode.CREATE_IF_ABSENT);
  private final AtomicLong clock = new AtomicLong(7_000_000);
  private final StepRunner steps = new StepRunner(List.of(table), clock::incrementAndGet);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void handsBackWhatIsDone() {
    assertThat(steps.run(Step.done("here"))).isEqualTo("here");
  }

  @Test
  void looksAtWhatWasClaimedBefore() {
    Step<String> step =
        claim("one", null).then(put -> look(1).map(cells -> put + " " + text(cells, 0)));

    assertThat(steps.run(step)).isEqualTo("true one");
  }

  @Test
  void tellsAClaimThatCameTooLateSo() {
    assertThat(steps.run(claim("one", null))).isTrue();
    assertThat(steps.run(claim("two", null))).isFalse();
    assertThat(steps.run(claim("two", Bytes.utf8("one")))).isTrue();
    assertThat(text(steps.run(look(1)), 0)).isEqualTo("two");
  }

  @Test
  void timesClaimsByItsClockInTheUnitOfTheTable() {
    steps.run(claim("one", null));

    assertThat(steps.run(look(1)).time(0)).isEqualTo(7_000);
  }

  @Test
  void countsOnFromTheSumThatStands() {
    Step<Long> twice = count(5).then(sum -> count(sum));

    assertThat(steps.run(twice)).isEqualTo(10);
  }

  @Test
  void gathersAnAnswerOfManyPages() {
    for (int i = 0; i < 10; i++) {
      steps.run(
          new Step.Claim<>(
              0, new Cell(ROW, 0, Bytes.of((byte) i), 0, Bytes.EMPTY), null, Step::done));
    }

    assertThat(steps.run(look(3)).size()).isEqualTo(10);
  }

  @Test
  void namesTheTableAndThePowerThatIsMissing() {
    Table readOnly = store.open(SPEC, Store.OpenMode.READ_ONLY);
    StepRunner reader = new StepRunner(List.of(readOnly), clock::incrementAndGet);

    assertThatThrownBy(() -> reader.run(claim("one", null)))
        .isInstanceOf(StoreException.class)
        .hasMessage("table 't' does not support ConditionalPut, which its layout needs");
  }

  private static Step<Boolean> claim(String value, @Nullable Bytes expected) {
    return new Step.Claim<>(
        0, new Cell(ROW, 0, QUALIFIER, 0, Bytes.utf8(value)), expected, Step::done);
  }

  private static Step<Long> count(long amount) {
    return new Step.Count<>(0, ROW, 0, Bytes.utf8("sum"), amount, Step::done);
  }

  private static Step<CellBatch> look(int pageCells) {
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.row(Bytes.EMPTY, ROW)), List.of(FamilySelect.latest(0)))
            .with(Limits.NONE.withPageCells(pageCells));
    return new Step.Look<>(
        List.of(new Step.TableRead(0, plan)), false, answers -> Step.done(answers.getFirst()));
  }

  private static String text(CellBatch cells, int cell) {
    return cells.value(cell).toUtf8();
  }
}
