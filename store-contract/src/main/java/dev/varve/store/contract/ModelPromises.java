package dev.varve.store.contract;

import static org.assertj.core.api.Assertions.fail;

import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs random stories against the store and the memory store; both must behave alike. Every run
 * uses new stories. A failure names its seed; the system property {@code varve.seed} replays it.
 */
final class ModelPromises {
  private static final int STEPS = 200;
  private static final int SHRINKING_ROUNDS = 400;

  private ModelPromises() {}

  static List<ContractTest> tests() {
    return List.of(
        new ContractTest("behaves as the memory store does", lab -> stories(lab, lab.times(30), 0)),
        new ContractTest(
            "behaves as the memory store does, opened again and again",
            lab -> stories(lab, 2, 40)));
  }

  /** Returns the first promise with fewer stories. */
  static ContractTest inFewStories() {
    return new ContractTest(
        "behaves as the memory store does", lab -> stories(lab, 1 + 9 / lab.oneIn(), 0));
  }

  private static void stories(Lab lab, int count, int reopenEvery) {
    long seed = Long.getLong("varve.seed", ThreadLocalRandom.current().nextLong());
    for (int i = 0; i < count; i++) {
      List<ModelStep> steps = new ModelStory(seed + i, lab).steps(STEPS, reopenEvery);
      ModelPromises story = new ModelPromises();
      String difference = story.tell(lab, steps);
      if (difference != null) {
        List<ModelStep> few = story.shrink(lab, steps);
        fail(
            "-Dvarve.seed=%d, story %d:%n%s%nThese of its steps are enough to fail:%n%s",
            seed,
            i,
            difference,
            few.stream().map(Object::toString).collect(Collectors.joining("\n")));
      }
    }
  }

  private static final AtomicInteger TABLES = new AtomicInteger();

  /** Removes steps as long as the story still fails. */
  private List<ModelStep> shrink(Lab lab, List<ModelStep> steps) {
    List<ModelStep> few = steps;
    int rounds = 0;
    for (int chunk = steps.size() / 2; chunk > 0; chunk = chunk == 1 ? 0 : (chunk + 1) / 2) {
      for (int from = 0; from < few.size() && rounds < SHRINKING_ROUNDS; rounds++) {
        List<ModelStep> fewer = new ArrayList<>(few.subList(0, from));
        fewer.addAll(few.subList(Math.min(few.size(), from + chunk), few.size()));
        if (tell(lab, fewer) != null) {
          few = fewer;
        } else {
          from += chunk;
        }
      }
    }
    return few;
  }

  /** Runs the story against both stores. Returns the first difference, or null if there is none. */
  private @Nullable String tell(Lab lab, List<ModelStep> steps) {
    String name = "story" + TABLES.getAndIncrement();
    try (MemoryStore memory = new MemoryStore()) {
      Table model = memory.open(lab.tableSpec(name), OpenMode.CREATE_IF_ABSENT);
      for (ModelStep step : steps) {
        if (step instanceof ModelStep.Reopen) {
          lab.reopen();
        }
        String difference = difference(model, lab.table(name), step);
        if (difference != null) {
          return difference;
        }
      }
      ReadPlan everything = ReadPlan.of(lab.slices(ModelStory.ROWS), Lab.allFamilies());
      return difference(model, lab.table(name), new ModelStep.Read(everything, false));
    } finally {
      lab.store().drop(name);
    }
  }

  private static @Nullable String difference(Table model, Table table, ModelStep step) {
    return switch (step) {
      case ModelStep.Write write ->
          compare(step, model, table, on -> on.apply(write.batch(), write.durability()));
      case ModelStep.PutIf put ->
          compareWith(
              Power.ConditionalPut.class,
              step,
              model,
              table,
              on -> on.putIf(put.cell(), put.expected()));
      case ModelStep.Add add ->
          compareWith(
              Power.Increment.class,
              step,
              model,
              table,
              on -> on.add(add.row(), Lab.LATEST, add.qualifier(), add.amount(), add.time()));
      case ModelStep.DeleteRows delete ->
          compareWith(
              Power.RangeDelete.class,
              step,
              model,
              table,
              on -> {
                on.deleteRows(delete.from(), delete.to());
                return "done";
              });
      case ModelStep.Reopen reopen -> null;
      case ModelStep.Read read -> {
        List<Cell> expected = ExpectedRead.of(Lab.readAll(model), read.plan()).cells();
        List<Cell> found =
            read.paged() ? readPaged(table, read.plan()) : Lab.read(table, read.plan());
        yield found.equals(expected)
            ? null
            : "%s: %s instead of %s".formatted(step, found, expected);
      }
    };
  }

  private static <P extends Power> @Nullable String compareWith(
      Class<P> power, ModelStep step, Table model, Table table, Function<P, Object> use) {
    Optional<P> ofTable = table.power(power);
    return ofTable.isEmpty()
        ? null
        : compare(
            step,
            model,
            table,
            on -> {
              try {
                return use.apply(on.power(power).orElseThrow());
              } catch (StoreException e) {
                return "refused";
              }
            });
  }

  private static @Nullable String compare(
      ModelStep step, Table model, Table table, Function<Table, Object> use) {
    Object expected = use.apply(model);
    Object found = use.apply(table);
    return Objects.equals(expected, found)
        ? null
        : "%s: %s instead of %s".formatted(step, found, expected);
  }

  private static List<Cell> readPaged(Table table, ReadPlan plan) {
    List<Cell> cells = new ArrayList<>();
    CellBatch page = new CellBatch();
    @Nullable ResumeToken token = null;
    boolean more = true;
    while (more) {
      try (CellCursor cursor = table.read(plan, token)) {
        more = cursor.next(page);
        Lab.addAll(page, cells);
        token = cursor.token();
      }
    }
    return cells;
  }
}
