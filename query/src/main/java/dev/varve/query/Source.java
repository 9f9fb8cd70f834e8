package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.Series;
import dev.varve.query.QueryPlan.Select;

/** A source of samples: reads them and pushes them through the stages. */
interface Source {
  void run(QueryRun run);

  /** Emits series as they are stored, one after another. */
  record Selected(Select select, Stage next) implements Source {
    @Override
    public void run(QueryRun run) {
      try (QueryRun.Reading reading = run.read(select, select.selector(), select.times())) {
        Series series = null;
        for (Run part = reading.next(); part != null; part = reading.next()) {
          if (!part.series().equals(series)) {
            if (series != null) {
              next.end();
              series = null;
            }
            if (next.satisfied()) {
              break;
            }
            series = part.series();
            next.begin(ResultSeries.of(series, part.samples().kind() == Kind.STRING));
          }
          run.count(part.samples().size());
          next.samples(part.samples(), 0, part.samples().size());
        }
        if (series != null) {
          next.end();
        }
      }
      next.finish();
    }
  }
}
