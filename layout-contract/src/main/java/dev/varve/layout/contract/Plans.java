package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Binding;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.RowSamples;
import dev.varve.layout.contract.PlanReader.Found;
import dev.varve.layout.plan.Census;
import dev.varve.layout.plan.PlanRefusedException;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Recurring;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks what plans promise, partly through {@link PlanReader}, which checks every row. */
final class Plans {
  private final LayoutLab lab;
  private final LayoutFixture fixture;
  private final Layout layout;
  private final RandomWrites writes;
  private final Random random;

  Plans(LayoutLab lab, Random random) {
    this.lab = lab;
    this.fixture = lab.fixture();
    this.layout = lab.layout();
    this.writes = new RandomWrites(fixture, random);
    this.random = random;
  }

  void readWhatWasAskedFor() {
    try (LayoutTables tables = lab.open()) {
      long center = lab.time(random);
      Written written = writes.around(center, 10, 30);
      writes.apply(written, tables);
      PlanRequest request = request(written, center, tables);
      Found found;
      try {
        found = tables.read(request);
      } catch (PlanRefusedException e) {
        assertThat(isOpen(request.scope().times()) || request.apart()).as(e.getMessage()).isTrue();
        return;
      }

      assertThat(found.damages()).isEmpty();
      assertThat(found.latest(request.scope().recurring()))
          .as("%s", request)
          .isEqualTo(written.in(request));
      if (request.apart()) {
        assertThat(tables.plan(request).groups())
            .allSatisfy(group -> assertThat(group.bindings()).hasSize(1));
      }
    }
  }

  private PlanRequest request(Written written, long center, LayoutTables tables) {
    List<Binding> bindings = new ArrayList<>();
    for (GroupKey key : written.keys()) {
      if (random.nextInt(3) > 0) {
        bindings.add(tables.bind(key));
      }
    }
    GroupKey other = fixture.key(random);
    if (random.nextInt(4) == 0 && bindings.stream().noneMatch(b -> b.key().equals(other))) {
      bindings.add(tables.bind(other));
    }
    Collections.shuffle(bindings, random);
    Census census = random.nextBoolean() ? Census.UNKNOWN : written.census();
    int newestFirst = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 0;
    return new PlanRequest(
        bindings,
        new ReadScope(
            times(center),
            fields(),
            ReadScope.Versions.LATEST,
            false,
            newestFirst == 0 && random.nextInt(3) == 0 ? recurring(center) : null),
        census,
        newestFirst,
        random.nextInt(10) == 0,
        random.nextBoolean() ? tables.order() : RowOrder.PARTITION,
        random.nextInt(4) == 0);
  }

  /** Returns recurring times with wide or narrow gaps and steps longer or shorter than a row. */
  private Recurring recurring(long center) {
    long step = 2 + Math.abs(writes.near(center) - center) % (1L << 40);
    return new Recurring(writes.near(center), step, 1 + random.nextLong(step - 1));
  }

  private TimeRange times(long center) {
    long a = writes.near(center);
    long b = writes.near(center);
    return new TimeRange(
        random.nextInt(8) == 0 ? Long.MIN_VALUE : Math.min(a, b),
        random.nextInt(8) == 0 ? Long.MAX_VALUE : Math.max(a, b));
  }

  private static boolean isOpen(TimeRange times) {
    return times.from() == Long.MIN_VALUE || times.to() == Long.MAX_VALUE;
  }

  /** Returns all fields, all by name, or one; fields that are part of row keys must be named. */
  private @Nullable Set<String> fields() {
    boolean inKey =
        layout.rows().parts().stream().anyMatch(part -> part.role() == KeyPart.Role.FIELD);
    List<String> fields = fixture.fields();
    return switch (random.nextInt(3)) {
      case 0 -> inKey ? Set.copyOf(fields) : null;
      case 1 -> Set.copyOf(fields);
      default -> Set.of(fields.get(random.nextInt(fields.size())));
    };
  }

  void qualifiersTellWhereATimeBegins() {
    int lastTime = layout.rows().lastTimePart();
    if (lastTime < 0) {
      return;
    }
    KeyPart.Time part = (KeyPart.Time) layout.rows().parts().get(lastTime);
    try (LayoutTables tables = lab.open()) {
      long center = lab.time(random);
      writes.apply(writes.around(center, 1, 20), tables);
      for (Cell cell : tables.cells(layout.dataTable())) {
        byte[] row = cell.row().toArray();
        long bucket = layout.rows().time(row, 0, row.length);
        long time = writes.near(center);
        if (time <= bucket || time >= part.next(bucket)) {
          continue;
        }
        Optional<Bytes> border = layout.qualifierAt(bucket, time);
        for (long at : timesOf(cell)) {
          boolean afterBorder = border.isPresent() && cell.qualifier().compareTo(border.get()) >= 0;
          assertThat(border.isEmpty() || afterBorder == at >= time)
              .as("sample at %d, border at %d: %s against %s", at, time, cell.qualifier(), border)
              .isTrue();
        }
      }
    }
  }

  private List<Long> timesOf(Cell cell) {
    CellBatch cells = new CellBatch();
    cells.add(cell);
    RowSamples out = new RowSamples();
    layout.decode(cells, 0, 1, out);
    List<Long> times = new ArrayList<>();
    for (RowSamples.Vector vector : out.vectors()) {
      for (int i = 0; i < vector.samples().size(); i++) {
        times.add(vector.samples().time(i));
      }
    }
    return times;
  }
}
