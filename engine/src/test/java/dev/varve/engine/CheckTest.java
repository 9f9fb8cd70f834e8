package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckProgress;
import dev.varve.engine.check.CheckRun;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.ReadCancelledException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckTest {
  private static final GroupKey A = GroupKey.of("cpu", Tags.of("host", "a"));
  private static final GroupKey B = GroupKey.of("cpu", Tags.of("host", "b"));

  private final List<CheckFinding> found = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(
      strings = {"buckets", "heroic", "kairosdb", "opentsdb", "tall-narrow", "companion", "salted"})
  void findsNothingInWhatWasWritten(String layout) {
    try (TestEngine engine =
        new TestEngine(
            TestEngine.dataset("main", Layouts.all(layout, Map.of()).toArray(Layout[]::new)))) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < 2000; i++) {
        batch.add(i % 2 == 0 ? A : B, 1_699_999_200_000L + 600_000L * i, new Value.Real(i));
      }
      assertThat(engine.write(batch.build()).refused()).isZero();
      CheckProgress end = check(engine);
      assertThat(found).isEmpty();
      assertThat(end.cells()).isGreaterThan(2000);
      assertThat(end.rows()).isPositive();
      assertThat(end.bytes()).isGreaterThan(end.cells());
    }
  }

  @Test
  void namesCellsThatAreNoneOfTheLayout() {
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("buckets")))) {
      engine.put(A, 1000, new Value.Real(1));
      engine.put(B, 1000, new Value.Real(1));
      Bytes row =
          engine
              .dataset()
              .explain(new BatchBuilder().add(A, 1000, new Value.Real(1)).build())
              .getFirst()
              .row();
      engine.damage("main.buckets", row, Bytes.fromHex("ffffffffffffff"));
      assertThat(check(engine).damages()).isEqualTo(1);
      assertThat(found)
          .singleElement()
          .satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.DAMAGE);
            assertThat(finding.place()).isEqualTo("dataset main");
            assertThat(finding.text())
                .contains("table 'main.buckets'", row.hex(), "ffffffffffffff");
          });
    }
  }

  @Test
  void namesSeriesThatTheCatalogLacksAndOnesWithoutRows() {
    try (TestEngine engine =
        new TestEngine(
            TestEngine.dataset("main", TestEngine.layout("buckets")),
            TestEngine.dataset("other", TestEngine.layout("buckets")))) {
      engine.put(A, 1000, new Value.Real(1));
      engine
          .engine()
          .dataset("other")
          .write(new BatchBuilder().add(B, 1000, new Value.Real(1)).build());
      Bytes rowOfB =
          engine
              .dataset()
              .explain(new BatchBuilder().add(B, 1000, new Value.Real(1)).build())
              .getFirst()
              .row();
      Bytes rowOfA =
          engine
              .dataset()
              .explain(new BatchBuilder().add(A, 1000, new Value.Real(1)).build())
              .getFirst()
              .row();
      engine.moveRow("other.buckets", rowOfB, "main.buckets");
      engine.moveRow("main.buckets", rowOfA, "other.buckets");
      check(engine);
      assertThat(found).hasSize(4);
      assertThat(found.get(0).text()).contains("the catalog lacks 1 series", "host=\"b\"");
      assertThat(found.get(1).severity()).isEqualTo(Severity.NOTE);
      assertThat(found.get(1).text()).contains("1 series without rows", "host=\"a\"");
      assertThat(found.get(2).place()).isEqualTo("dataset other");
    }
  }

  @Test
  void readsNoFasterThanItMayAndStopsWhenNobodyWantsIt() {
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("buckets")))) {
      engine.put(A, 1000, new Value.Real(1));
      CheckProgress all = check(engine);
      long start = System.nanoTime();
      CheckRun slow = new CheckRun(2 * all.bytes(), now -> {}, found::add, () -> false);
      engine.engine().check(slow);
      assertThat(System.nanoTime() - start).isGreaterThan(450_000_000L);

      CheckRun unwanted = new CheckRun(1, now -> {}, found::add, () -> true);
      assertThatThrownBy(() -> engine.engine().check(unwanted))
          .isInstanceOf(ReadCancelledException.class);
      CheckRun again = new CheckRun(0, now -> {}, found::add, () -> false);
      engine.engine().check(again);
    }
  }

  private CheckProgress check(TestEngine engine) {
    CheckRun run = new CheckRun(0, now -> {}, found::add, () -> false);
    engine.engine().check(run);
    return run.progress();
  }
}
