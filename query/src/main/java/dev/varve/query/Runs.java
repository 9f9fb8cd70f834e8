package dev.varve.query;

import dev.varve.engine.Dataset;
import dev.varve.engine.PartedRead;
import dev.varve.engine.ReadRequest;
import dev.varve.engine.RunCursor;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import java.util.stream.Stream;

/** What a query needs of a dataset, so that operators can be tried without one. */
public interface Runs {
  Resolution resolution();

  RunCursor read(ReadRequest request);

  /** The same in parts, of a request in the order of series. */
  PartedRead readInParts(ReadRequest request);

  Stream<Series> series(Selector selector, TimeRange times);

  static Runs of(Dataset dataset) {
    return new Runs() {
      @Override
      public Resolution resolution() {
        return dataset.resolution();
      }

      @Override
      public RunCursor read(ReadRequest request) {
        return dataset.read(request);
      }

      @Override
      public PartedRead readInParts(ReadRequest request) {
        return dataset.readInParts(request);
      }

      @Override
      public Stream<Series> series(Selector selector, TimeRange times) {
        return dataset.series(selector, times);
      }
    };
  }
}
