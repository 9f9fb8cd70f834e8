package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.query.QueryPlan.Select;
import dev.varve.query.limit.Memory;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Emits the newest samples of each series in order of time. The engine reads run by run from the
 * end, so the runs of a series are held until the last one arrives.
 */
final class NewestSource implements Source {
  private static final long BYTES_PER_SAMPLE = 32;

  private final Select select;
  private final Memory memory;
  private final Stage next;
  private final Deque<Samples> runs = new ArrayDeque<>();
  private long held;

  NewestSource(Select select, Memory memory, Stage next) {
    this.select = select;
    this.memory = memory;
    this.next = next;
  }

  @Override
  public void run(QueryRun run) {
    try (QueryRun.Reading reading = run.read(select, select.selector(), select.times())) {
      Series series = null;
      for (Run part = reading.next(); part != null; part = reading.next()) {
        if (series != null && !part.series().equals(series)) {
          handOn(series, run);
          if (next.satisfied()) {
            series = null;
            break;
          }
        }
        series = part.series();
        hold(part);
      }
      if (series != null) {
        handOn(series, run);
      }
    }
    next.finish();
  }

  private void hold(Run part) {
    Samples samples = part.samples();
    int last = samples.size() - 1;
    long bytes = BYTES_PER_SAMPLE * samples.size();
    if (samples.kind() == Kind.STRING && last >= 0) {
      bytes += samples.textEnd(last) - samples.textStart(0);
    }
    memory.hold(bytes, "sorting the newest samples of a series holds all of them (request fewer)");
    held += bytes;
    Samples own = new Samples(samples.kind());
    for (int i = 0; i <= last; i++) {
      own.addFrom(samples, i);
    }
    runs.addFirst(own);
  }

  private void handOn(Series series, QueryRun run) {
    next.begin(ResultSeries.of(series, runs.getFirst().kind() == Kind.STRING));
    for (Samples samples : runs) {
      run.count(samples.size());
      next.samples(samples, 0, samples.size());
    }
    next.end();
    runs.clear();
    memory.release(held);
    held = 0;
  }
}
