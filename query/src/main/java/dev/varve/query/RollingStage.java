package dev.varve.query;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Rolling;
import dev.varve.query.limit.Memory;
import dev.varve.query.running.QueryUse;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Emits one sample for each window that contains samples, where windows overlap. Holds a partial
 * result for each window that is open.
 */
final class RollingStage extends Stage {
  private static final long BYTES_PER_WINDOW = 64;

  private final Rolling plan;
  private final Fold fold;
  private final Memory memory;
  private final Emitter out;
  private final Deque<Open> open = new ArrayDeque<>();
  private final Deque<Integer> free = new ArrayDeque<>();
  private int slots;
  private long held;

  /** The start of the next window to open. */
  private long nextStart;

  private boolean started;
  private long last;

  /** A window that further samples may belong to. */
  private record Open(long start, long end, int slot) {}

  RollingStage(Rolling plan, Resolution resolution, QueryUse use, Stage next) {
    super(next);
    if (plan.aggregation() == Aggregation.Basic.RATE
        || plan.aggregation() == Aggregation.Basic.LEAST_SQUARES) {
      throw new QueryRefusedException(plan.aggregation() + " needs windows that do not overlap");
    }
    this.plan = plan;
    this.fold = Fold.of(plan.aggregation(), resolution, use);
    this.memory = use.memory();
    this.out = new Emitter(next);
  }

  @Override
  public void begin(ResultSeries series) {
    if (series.text() && !plan.aggregation().takesText()) {
      throw new OperatorException(
          "%s cannot aggregate the texts of %s%s (count, first and last can)"
              .formatted(plan.aggregation(), series.metric(), series.labels()));
    }
    boolean countsText = plan.aggregation() == Aggregation.Basic.COUNT && series.text();
    next.begin(countsText ? series.asNumbers() : series);
    fold.beginSeries();
    started = false;
    last = Long.MIN_VALUE;
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    if (samples.kind() == Kind.STRING && !plan.aggregation().takesText()) {
      throw new OperatorException(
          plan.aggregation() + " met a text among numbers at " + samples.time(from));
    }
    for (int i = from; i < to; i++) {
      long time = samples.time(i);
      if (time < last) {
        throw new OperatorException("windows that overlap need samples in ascending order of time");
      }
      last = time;
      closeBefore(time);
      openUntil(time);
      for (Open window : open) {
        fold.add(window.slot(), samples, i, i + 1);
      }
    }
  }

  private void closeBefore(long time) {
    while (!open.isEmpty() && open.element().end() <= time) {
      close(open.remove());
    }
  }

  /** Opens all windows that contain an instant and are not open yet. */
  private void openUntil(long time) {
    long containing = plan.windows().startOf(time);
    if (!started || nextStart < containing) {
      nextStart = containing;
      started = true;
    }
    long end = plan.windows().endOf(nextStart);
    while (end - plan.extent() <= time && end > nextStart) {
      open.add(new Open(nextStart, end, slot()));
      nextStart = end;
      end = plan.windows().endOf(nextStart);
    }
  }

  private int slot() {
    Integer known = free.poll();
    int slot = known == null ? slots++ : known;
    if (known == null) {
      long bytes = BYTES_PER_WINDOW + fold.bytesPerSlot();
      memory.hold(bytes, "windows overlap too often (make them wider, or the extent shorter)");
      held += bytes;
    }
    fold.reset(slot);
    return slot;
  }

  private void close(Open window) {
    long time = plan.stamp() == Rolling.Edge.START ? window.start() : window.end();
    fold.emit(window.slot(), time, out);
    free.add(window.slot());
  }

  @Override
  public void gap(long time) {
    throw new OperatorException("gaps cannot be aggregated; fill them last");
  }

  @Override
  public void end() {
    while (!open.isEmpty()) {
      close(open.remove());
    }
    out.flush();
    next.end();
  }

  @Override
  void finish() {
    memory.release(held);
    held = 0;
    next.finish();
  }
}
