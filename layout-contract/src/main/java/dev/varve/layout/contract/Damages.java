package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.varve.layout.CellDescription;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.model.Attribute;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.TimeUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Checks how a layout treats cells that differ from what it wrote. */
final class Damages {
  private final LayoutLab lab;
  private final LayoutFixture fixture;
  private final Layout layout;
  private final RandomWrites writes;
  private final Random random;

  Damages(LayoutLab lab, Random random) {
    this.lab = lab;
    this.fixture = lab.fixture();
    this.layout = lab.layout();
    this.writes = new RandomWrites(fixture, random);
    this.random = random;
  }

  void areNeverMisread() {
    try (LayoutTables tables = lab.open()) {
      writes.apply(writes.around(lab.time(random), 2, 5), tables);
      fixture.attributes().forEach(tables::write);
      List<Cell> cells = tables.cells(layout.dataTable());
      Cell whole = cells.get(random.nextInt(cells.size()));
      checkNotMisread(whole, tables);
      checkNotMisread(damaged(whole), tables);
    }
  }

  private void checkNotMisread(Cell cell, LayoutTables tables) {
    GroupKey key;
    RowSamples out = new RowSamples();
    try {
      key = tables.run(layout.identify(cell.row()));
      layout.decode(batchOf(cell), 0, 1, out);
    } catch (DamagedCellException e) {
      assertThat(e.getMessage()).isNotBlank();
      return;
    }
    if (!out.damages().isEmpty()) {
      assertThat(out.damages()).allSatisfy(damage -> assertThat(damage.reason()).isNotBlank());
      return;
    }
    if (times(out).stream().anyMatch(time -> fixture.holdable(time) != time)) {
      // The original also reads it at a time that it would write to another cell.
      return;
    }
    List<Cell> again;
    try {
      again = encodedAgain(key, out, tables);
    } catch (RefusedException e) {
      again = fail("%s was read as what is refused: %s", cell, e.getMessage());
    }
    if (fixture.hasOneForm(layout.dataTable(), cell)) {
      boolean timeIsData = out.attributes().isEmpty() && timeIsData(cell);
      assertThat(again)
          .as("what %s of %s was read as", cell, key)
          .anyMatch(c -> same(c, cell, timeIsData));
    } else {
      assertThat(again).as("what %s of %s was read as", cell, key).isNotEmpty();
    }
  }

  /**
   * Returns whether the cell times of a cell's family are data. Attributes are excluded by the
   * caller: their cell times are times of writing, which attributes do not carry.
   */
  private boolean timeIsData(Cell cell) {
    return layout.tables().get(layout.dataTable()).families().get(cell.family()).time()
        == TimeUse.DATA;
  }

  private static boolean same(Cell a, Cell b, boolean timeIsData) {
    return a.row().equals(b.row())
        && a.family() == b.family()
        && a.qualifier().equals(b.qualifier())
        && a.value().equals(b.value())
        && (!timeIsData || a.time() == b.time());
  }

  private List<Cell> encodedAgain(GroupKey key, RowSamples out, LayoutTables tables) {
    List<Cell> cells = new ArrayList<>();
    for (RowSamples.Found found : out.attributes()) {
      Attribute attribute = new Attribute(key, found.name(), found.time(), found.value());
      cells.addAll(tables.encode(attribute).cells(layout.dataTable()));
    }
    BatchBuilder batch = new BatchBuilder();
    long stamp = 0;
    for (long time : times(out)) {
      for (RowSamples.Vector vector : out.vectors()) {
        Samples samples = vector.samples();
        for (int i = 0; i < samples.size(); i++) {
          if (samples.time(i) == time) {
            batch.add(key, vector.field(), time, samples.value(i));
            stamp = samples.stamp(i);
          }
        }
      }
    }
    for (SampleGroup group : batch.build().groups()) {
      LayoutTables.Encoded encoded = tables.encode(group, stamp);
      assertThat(encoded.refused()).as("refused of what was read").isEmpty();
      cells.addAll(encoded.cells(layout.dataTable()));
    }
    return cells;
  }

  private static List<Long> times(RowSamples out) {
    return out.vectors().stream()
        .map(RowSamples.Vector::samples)
        .flatMap(samples -> IntStream.range(0, samples.size()).mapToObj(samples::time))
        .distinct()
        .sorted()
        .toList();
  }

  private Cell damaged(Cell cell) {
    return switch (random.nextInt(3)) {
      case 0 ->
          new Cell(damaged(cell.row()), cell.family(), cell.qualifier(), cell.time(), cell.value());
      case 1 ->
          new Cell(cell.row(), cell.family(), damaged(cell.qualifier()), cell.time(), cell.value());
      default ->
          new Cell(cell.row(), cell.family(), cell.qualifier(), cell.time(), damaged(cell.value()));
    };
  }

  private Bytes damaged(Bytes bytes) {
    int choice = random.nextInt(4);
    if (choice == 0 || bytes.isEmpty()) {
      return bytes.concat(Bytes.of((byte) random.nextInt(256)));
    }
    if (choice == 1) {
      return bytes.slice(0, random.nextInt(bytes.length()));
    }
    byte[] flipped = bytes.toArray();
    flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
    return Bytes.of(flipped);
  }

  void everyByteIsDescribed() {
    try (LayoutTables tables = lab.open()) {
      writes.apply(writes.around(lab.time(random), 2, 5), tables);
      fixture.attributes().forEach(tables::write);
      for (int table = 0; table < layout.tables().size(); table++) {
        for (Cell cell : tables.cells(table)) {
          checkCovered(cell, layout.describe(table, cell));
          checkDescribedOrRefused(table, damaged(cell));
        }
      }
    }
  }

  private void checkDescribedOrRefused(int table, Cell cell) {
    CellDescription description;
    try {
      description = layout.describe(table, cell);
    } catch (DamagedCellException e) {
      assertThat(e.getMessage()).isNotBlank();
      return;
    }
    checkCovered(cell, description);
  }

  private static void checkCovered(Cell cell, CellDescription description) {
    assertThat(description.summary()).isNotBlank();
    checkCovered(cell, description, "row", cell.row().length());
    checkCovered(cell, description, "qualifier", cell.qualifier().length());
    checkCovered(cell, description, "value", cell.value().length());
  }

  private static void checkCovered(
      Cell cell, CellDescription description, String coordinate, int length) {
    int at = 0;
    for (CellDescription.Part part :
        description.parts().stream()
            .filter(part -> part.coordinate().equals(coordinate))
            .sorted(
                Comparator.comparingInt(CellDescription.Part::from)
                    .thenComparingInt(CellDescription.Part::to))
            .toList()) {
      assertThat(part.from()).as("%s of %s in %s", coordinate, cell, description).isEqualTo(at);
      assertThat(part.label()).isNotBlank();
      at = part.to();
    }
    assertThat(at).as("%s of %s in %s", coordinate, cell, description).isEqualTo(length);
  }

  private static CellBatch batchOf(Cell cell) {
    CellBatch cells = new CellBatch();
    cells.add(cell);
    return cells;
  }
}
