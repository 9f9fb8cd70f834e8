package dev.varve.store.contract;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.Capabilities;
import dev.varve.store.Cell;
import dev.varve.store.Direction;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Limits;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.contract.ModelStep.Edit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Generates stories from a seed, with few rows and columns so that steps interact. */
final class ModelStory {
  static final List<Bytes> ROWS =
      hex(
          "00", "0000", "0001", "00ff", "01", "61", "6100", "610001", "61ff", "62", "ff", "ff00",
          "ffff");
  private static final List<Bytes> QUALIFIERS =
      hex("", "00", "0001", "00ff", "01", "71", "7100", "71ff", "ff", "ffff");
  private static final int TIMES = 10;

  private final Random random;
  private final Lab lab;
  private long clock;

  ModelStory(long seed, Lab lab) {
    this.random = new Random(seed);
    this.lab = lab;
  }

  private static List<Bytes> hex(String... texts) {
    List<Bytes> bytes = new ArrayList<>();
    for (String text : texts) {
      bytes.add(Bytes.fromHex(text));
    }
    return bytes;
  }

  /**
   * Generates steps.
   *
   * @param reopenEvery number of steps between reopenings of the store; 0 for never
   */
  List<ModelStep> steps(int count, int reopenEvery) {
    List<ModelStep> steps = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      steps.add(step());
      if (reopenEvery > 0 && i % reopenEvery == 0) {
        steps.add(new ModelStep.Reopen());
      }
    }
    return steps;
  }

  private ModelStep step() {
    int choice = random.nextInt(198);
    if (choice < 90) {
      return write();
    }
    if (choice < 170) {
      return new ModelStep.Read(plan(), random.nextBoolean());
    }
    if (choice < 182) {
      return new ModelStep.PutIf(cell(row()), random.nextBoolean() ? null : value());
    }
    if (choice < 190) {
      return new ModelStep.Add(row(), one(QUALIFIERS), random.nextLong(), ++clock);
    }
    return new ModelStep.DeleteRows(row(), random.nextInt(4) == 0 ? null : row());
  }

  /** All rows of a batch differ, because the order of equal rows is unspecified. */
  private ModelStep write() {
    List<Edit> edits = new ArrayList<>();
    TreeSet<Bytes> rows = new TreeSet<>();
    for (int i = 0; i <= random.nextInt(4); i++) {
      rows.add(row());
    }
    for (Bytes row : rows) {
      for (int i = 0; i <= random.nextInt(6); i++) {
        edits.add(edit(row));
      }
    }
    return new ModelStep.Write(
        edits, random.nextInt(8) == 0 ? Durability.SYNCED : Durability.ORDERED);
  }

  private Edit edit(Bytes row) {
    int family = random.nextInt(3);
    int choice = random.nextInt(40);
    if (choice < 30) {
      return new ModelStep.Put(cell(row));
    }
    if (family != Lab.LATEST && lab.capabilities().deletes() == Capabilities.Deletes.MASK_OLDER) {
      // A later put at an older time would be hidden for an unspecified period.
      family = Lab.LATEST;
    }
    if (choice < 35) {
      // Whether older versions reappear is unspecified if only some were kept.
      TimeRange times = family == Lab.TWO || random.nextBoolean() ? TimeRange.ALL : times(family);
      return new ModelStep.DeleteColumn(row, family, one(QUALIFIERS), times);
    }
    if (choice < 37) {
      return new ModelStep.DeleteQualifiers(row, family, one(QUALIFIERS), one(QUALIFIERS));
    }
    return choice < 39 || family != Lab.LATEST
        ? new ModelStep.DeleteFamily(row, family)
        : deleteRow(row);
  }

  private Edit deleteRow(Bytes row) {
    return lab.capabilities().deletes() == Capabilities.Deletes.MASK_OLDER
        ? new ModelStep.DeleteFamily(row, Lab.LATEST)
        : new ModelStep.DeleteRow(row);
  }

  private Cell cell(Bytes row) {
    int family = random.nextInt(3);
    return new Cell(row, family, one(QUALIFIERS), time(family), value());
  }

  /** Returns ascending times for {@code CLOCK} families, and any of a few times for others. */
  private long time(int family) {
    return family == Lab.LATEST ? ++clock : lab.time(random.nextInt(TIMES));
  }

  private TimeRange times(int family) {
    long a = family == Lab.LATEST ? clock - random.nextInt(20) : lab.time(random.nextInt(TIMES));
    long b = family == Lab.LATEST ? clock - random.nextInt(20) : lab.time(random.nextInt(TIMES));
    return new TimeRange(Math.min(a, b), Math.max(a, b));
  }

  private Bytes value() {
    return Bytes.utf8("v" + random.nextInt(5));
  }

  private Bytes row() {
    return one(ROWS);
  }

  private Bytes one(List<Bytes> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private ReadPlan plan() {
    List<Slice> slices = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      slices.add(slice());
    }
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < 3; family++) {
      if (random.nextInt(3) > 0 || (family == 2 && families.isEmpty())) {
        families.add(select(family));
      }
    }
    Direction direction = random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE;
    boolean values = random.nextInt(4) > 0;
    return new ReadPlan(slices, families, direction, limits(), Budget.UNLIMITED, values, true);
  }

  private Slice slice() {
    Bytes row = row();
    return switch (random.nextInt(5)) {
      case 0 -> Slice.row(Bytes.EMPTY, row);
      case 1 -> Slice.row(row, row, one(QUALIFIERS), random.nextBoolean() ? null : one(QUALIFIERS));
      case 2 -> Slice.partition(row);
      case 3 -> Slice.rows(lab.partitionOf(row), row, random.nextInt(3) == 0 ? null : row());
      default ->
          new Slice(
              random.nextBoolean() ? lab.partitionOf(row) : row.slice(0, 1),
              row,
              one(QUALIFIERS),
              row(),
              one(QUALIFIERS));
    };
  }

  private FamilySelect select(int family) {
    TimeRange times = random.nextBoolean() ? TimeRange.ALL : times(family);
    int versions = random.nextBoolean() ? FamilySpec.ALL_VERSIONS : 1 + random.nextInt(3);
    return new FamilySelect(family, ranges(), times, versions);
  }

  private List<QualifierRange> ranges() {
    TreeSet<Bytes> bounds = new TreeSet<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      bounds.add(one(QUALIFIERS));
    }
    List<QualifierRange> ranges = new ArrayList<>();
    @Nullable Bytes from = null;
    for (Bytes bound : bounds) {
      if (from == null) {
        from = bound;
      } else {
        ranges.add(new QualifierRange(from, bound));
        from = null;
      }
    }
    if (from != null) {
      ranges.add(new QualifierRange(from, null));
    }
    return ranges;
  }

  private Limits limits() {
    return new Limits(
        random.nextInt(3) == 0 ? 1 + random.nextInt(4) : Long.MAX_VALUE,
        random.nextInt(3) == 0 ? 1 + random.nextInt(4) : Integer.MAX_VALUE,
        random.nextInt(3) == 0 ? 1 + random.nextInt(20) : Long.MAX_VALUE,
        1 + random.nextInt(5));
  }
}
