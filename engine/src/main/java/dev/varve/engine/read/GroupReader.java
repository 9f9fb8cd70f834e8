package dev.varve.engine.read;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowSamples.Damage;
import dev.varve.layout.RowSamples.Vector;
import dev.varve.layout.RowShape;
import dev.varve.layout.plan.Plan;
import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.TimeRange;
import dev.varve.store.Direction;
import dev.varve.store.Table;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads a group of series by merging the rows of its strands into units. Used by one thread.
 *
 * <p>A unit consists of the rows with the same series, field and time: nearly always one row, or
 * several that differ in a salt, a kind or a sequence number; see {@link UnitOrder}. The units of a
 * series are in the order of time, so versions are chosen within a unit and no earlier unit has to
 * be kept.
 */
final class GroupReader implements RunSource, AutoCloseable {
  /** Number of decoded samples from which a row is delivered in pieces. */
  private static final int PIECE = 8192;

  private final Reading reading;
  private final PlannedRead planned;
  private final Layout layout;
  private final List<Integer> matches;
  private final TimeRange trimmed;
  private final RunAssembly assembly;
  private final boolean inPieces;
  private final boolean inTurn;
  private final UnitOrder order;
  private final PriorityQueue<StrandCursor> strands;
  private final List<StrandCursor> all = new ArrayList<>();
  private final Deque<Attribute> attributes = new ArrayDeque<>();

  /**
   * The decoded samples of the current unit. It is swapped with {@link #rest}, which holds back
   * last instants.
   */
  private RowSamples unit = new RowSamples();

  private RowSamples rest = new RowSamples();
  private int unitPlace = -1;

  /** The current series, if series are read in turn. */
  private int lastPlace = -1;

  private boolean ended;

  /**
   * @param inTurn whether the plan delivers series one after the other, so that each is complete
   *     when the next one starts
   */
  GroupReader(Reading reading, PlannedRead planned, Plan.StrandGroup group, boolean inTurn) {
    this.reading = reading;
    this.planned = planned;
    this.layout = planned.layout().layout();
    this.matches = group.bindings().stream().map(planned.matches()::get).toList();
    this.trimmed = group.strands().getFirst().trimmed();
    this.assembly = new RunAssembly(reading, planned.period().index(), matches);
    this.inTurn = inTurn;
    RowShape shape = layout.rows();
    boolean several = group.bindings().size() > 1;
    if (several && RowKeys.scattersUnits(shape, group)) {
      throw new IllegalStateException(
          "layout '%s' cannot read several series together: rows of a unit are not adjacent"
              .formatted(planned.layout().name()));
    }
    this.inPieces =
        layout.rowsInTimeOrder()
            && group.strands().size() == 1
            && !RowKeys.spreadsUnits(shape)
            && !reading.newest().isAsked();
    this.order = order(group);
    this.strands = new PriorityQueue<>(order.strands());
    open(group);
  }

  private UnitOrder order(Plan.StrandGroup group) {
    boolean named = layout.directory().isPresent() && layout.rows().timePart() >= 0;
    if (named && group.strands().size() > 1) {
      return new UnitOrder.ByTime(layout.rows(), !reading.newest().isAsked());
    }
    return new UnitOrder.ByKey(
        group.strands().stream()
            .allMatch(strand -> strand.read().direction() == Direction.FORWARD));
  }

  private void open(Plan.StrandGroup group) {
    try {
      for (Plan.Strand strand : group.strands()) {
        Table table = planned.layout().table(strand.table());
        StrandCursor cursor =
            new StrandCursor(
                reading,
                table,
                strand,
                new RowKeys(layout.rows()),
                planned.wanted(group, strand),
                !layout.rowsInTimeOrder());
        all.add(cursor);
        advance(cursor);
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void advance(StrandCursor strand) {
    if (strand.next()) {
      strands.add(strand);
    } else {
      strand.close();
    }
  }

  @Override
  public @Nullable Run next() {
    Run run = assembly.poll();
    while (run == null && !ended) {
      step();
      run = assembly.poll();
    }
    // Only samples are requested.
    attributes.clear();
    return run;
  }

  /** Leaves the samples of the last run to the caller, as {@link RunAssembly#leave}. */
  boolean leave() {
    return assembly.leave();
  }

  @Override
  public @Nullable Attribute nextAttribute() {
    while (attributes.isEmpty() && !ended) {
      while (assembly.poll() != null) {
        // Only attributes are requested.
      }
      step();
    }
    return attributes.poll();
  }

  /** Decodes the next piece or ends a unit. Called only if no run is ready. */
  private void step() {
    StrandCursor strand = strands.peek();
    if (strand == null || isEnough()) {
      endUnit();
      assembly.flush();
      ended = true;
      close();
    } else if (unitPlace < 0) {
      begin(strand);
    } else if (strand.place() == unitPlace && order.takes(strand)) {
      decode(strand);
    } else {
      endUnit();
    }
  }

  private void begin(StrandCursor strand) {
    if (inTurn && lastPlace != strand.place()) {
      int before = lastPlace;
      lastPlace = strand.place();
      if (before >= 0) {
        assembly.flush(before);
        if (!assembly.isEmpty()) {
          return;
        }
      }
    }
    unit.clear();
    order.begin(strand);
    unitPlace = strand.place();
    decode(strand);
  }

  private void decode(StrandCursor strand) {
    strands.remove();
    try {
      layout.decode(strand.cells(), strand.from(), strand.to(), unit);
    } catch (DamagedCellException e) {
      throw strand.damaged(strand.cells(), strand.from(), e.getMessage());
    }
    if (!unit.damages().isEmpty()) {
      Damage damage = unit.damages().getFirst();
      throw strand.damaged(strand.cells(), damage.cell(), damage.reason());
    }
    boolean mayFlow = inPieces && isLong(unit);
    advance(strand);
    if (mayFlow) {
      flow();
    }
  }

  private static boolean isLong(RowSamples row) {
    int samples = 0;
    for (int i = 0; i < row.vectors().size(); i++) {
      samples += row.vectors().get(i).samples().size();
    }
    return samples >= PIECE;
  }

  /**
   * Delivers the decoded samples except for the last instant of each field, because the next piece
   * may contain more samples of that instant.
   */
  private void flow() {
    rest.clear();
    for (Vector vector : unit.vectors()) {
      if (!vector.samples().isEmpty()) {
        holdBack(vector.field(), vector.samples(), lastTime(vector.field()));
      }
    }
    takeAttributes();
    assembly.take(unitPlace, unit, trimmed);
    RowSamples decoded = unit;
    unit = rest;
    rest = decoded;
  }

  private long lastTime(String field) {
    long last = Long.MIN_VALUE;
    for (Vector vector : unit.vectors()) {
      Samples samples = vector.samples();
      if (vector.field().equals(field) && !samples.isEmpty()) {
        last = Math.max(last, samples.time(samples.size() - 1));
      }
    }
    return last;
  }

  private void holdBack(String field, Samples samples, long time) {
    int first = samples.size();
    while (first > 0 && samples.time(first - 1) == time) {
      first--;
    }
    for (int i = first; i < samples.size(); i++) {
      rest.samples(field, samples.kind()).addFrom(samples, i);
    }
    while (samples.size() > first) {
      samples.removeLast();
    }
  }

  private void endUnit() {
    if (unitPlace >= 0) {
      takeAttributes();
      assembly.take(unitPlace, unit, trimmed);
      unitPlace = -1;
    }
  }

  private void takeAttributes() {
    for (RowSamples.Found found : unit.attributes()) {
      Long time = found.time();
      if (time != null && !trimmed.contains(time)) {
        continue;
      }
      GroupKey key = reading.matches().get(matches.get(unitPlace)).key();
      Attribute attribute = new Attribute(key, found.name(), found.time(), found.value());
      reading.guard().passed(attribute);
      attributes.add(attribute);
    }
  }

  /** Returns whether every series has delivered as many of its newest samples as requested. */
  private boolean isEnough() {
    if (!reading.newest().isAsked() || unitPlace >= 0) {
      return false;
    }
    for (int match : matches) {
      if (!reading.isEnough(match)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    strands.clear();
    all.forEach(StrandCursor::close);
  }
}
