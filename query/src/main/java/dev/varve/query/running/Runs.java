package dev.varve.query.running;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import java.util.stream.Stream;

/** The operations of a dataset that queries use. Allows testing operators without a dataset. */
public interface Runs {
  Resolution resolution();

  RunCursor read(ReadRequest request);

  /** Reads in parts. The request must be in series order. */
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
        return dataset.catalog().series(selector, times);
      }
    };
  }
}
