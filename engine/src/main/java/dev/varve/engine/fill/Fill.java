package dev.varve.engine.fill;

import dev.varve.engine.progress.FillResult;
import dev.varve.engine.progress.FillResult.Day;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.model.Batch;
import dev.varve.model.Column;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.SampleGroup;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fills a dataset: writes the samples of a batch at whose instants the dataset has none, and then
 * compares the batch with the dataset. Never replaces a sample that was written directly before,
 * during or after the call. Safe for use by several threads.
 */
public final class Fill {
  private static final long SECONDS_PER_DAY = 86_400;

  private final DatasetReader reader;
  private final DatasetWriter writer;
  private final long perDay;

  /** Creates the filling of a dataset with some resolution. */
  public Fill(DatasetReader reader, DatasetWriter writer, Resolution resolution) {
    this.reader = reader;
    this.writer = writer;
    this.perDay = SECONDS_PER_DAY * resolution.perSecond();
  }

  /**
   * Writes the missing samples, and compares.
   *
   * @throws dev.varve.engine.error.OverloadedException if too much is waiting to be written;
   *     nothing was written
   * @throws dev.varve.engine.error.WriteFailedException if a store failed
   */
  public FillResult run(Batch batch) {
    WriteResult written = writer.writeAlone(batch, this::present);
    return new FillResult(written, compare(batch));
  }

  /**
   * Returns, for each column of a group, the indexes of samples at whose instants the dataset has a
   * sample.
   */
  private List<BitSet> present(SampleGroup group) {
    Map<String, Instants> held = new LinkedHashMap<>();
    for (Column column : group.columns()) {
      held.computeIfAbsent(column.field(), field -> Instants.of(group, field).blank());
    }
    read(group, held);
    List<BitSet> present = new ArrayList<>(group.columns().size());
    for (Column column : group.columns()) {
      Instants of = held.get(column.field());
      BitSet indexes = new BitSet(group.size());
      for (int slot = 0; of != null && slot < group.size(); slot++) {
        indexes.set(slot, column.has(slot) && of.hasAt(group.times()[slot]));
      }
      present.add(indexes);
    }
    return present;
  }

  /** Compares a batch with the samples of the dataset. */
  public List<Day> compare(Batch batch) {
    List<Day> days = new ArrayList<>();
    for (SampleGroup group : batch.groups()) {
      Map<String, Instants> given = new LinkedHashMap<>();
      Map<String, Instants> held = new LinkedHashMap<>();
      for (Column column : group.columns()) {
        Instants of = given.computeIfAbsent(column.field(), field -> Instants.of(group, field));
        held.putIfAbsent(column.field(), of.blank());
      }
      read(group, held);
      given.forEach((field, of) -> {
        Instants has = held.get(field);
        if (has != null) {
          compare(group, field, of, has, days);
        }
      });
    }
    return days;
  }

  private void compare(
      SampleGroup group, String field, Instants given, Instants held, List<Day> days) {
    int end;
    for (int from = 0; from < given.size(); from = end) {
      long day = Math.floorDiv(given.time(from), perDay);
      SampleDigest ofGiven = new SampleDigest();
      SampleDigest ofHeld = new SampleDigest();
      int missing = 0;
      int other = 0;
      for (end = from; end < given.size(); end++) {
        if (Math.floorDiv(given.time(end), perDay) != day) {
          break;
        }
        if (held.has(end)) {
          given.addTo(ofGiven, end);
          held.addTo(ofHeld, end);
          other += given.equals(held, end) ? 0 : 1;
        } else {
          missing++;
        }
      }
      days.add(
          new Day(
              group.key().field(field),
              day,
              end - from,
              missing,
              other,
              ofGiven.hex(),
              ofHeld.hex()));
    }
  }

  /** Reads the samples of the dataset at the instants of the fields of a group. */
  private void read(SampleGroup group, Map<String, Instants> into) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (int slot = 0; slot < group.size(); slot++) {
      first = Math.min(first, group.times()[slot]);
      last = Math.max(last, group.times()[slot]);
    }
    if (first > last) {
      return;
    }
    try (RunCursor runs = reader.jobs().ofKey(group.key(), TimeRange.closed(first, last))) {
      for (Run run = next(runs); run != null; run = next(runs)) {
        Instants wanted = into.get(run.series().field());
        if (wanted != null) {
          wanted.put(run.samples());
        }
      }
    }
  }

  private static @Nullable Run next(@Nullable RunCursor runs) {
    return runs == null ? null : runs.next();
  }
}
