package dev.varve.cli.target;

import dev.varve.formats.export.ExportWriter;
import dev.varve.model.Batch;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import java.io.IOException;

/** Passes the samples of a batch to a writer of exports, column by column. */
final class BatchSamples {
  private BatchSamples() {}

  static void write(Batch batch, ExportWriter to) throws IOException {
    for (SampleGroup group : batch.groups()) {
      for (Column column : group.columns()) {
        Samples samples = samples(group, column);
        to.write(group.key().field(column.field()), samples, 0, samples.size());
      }
    }
  }

  private static Samples samples(SampleGroup group, Column column) {
    Samples samples = new Samples(column.kind());
    for (int slot = 0; slot < group.size(); slot++) {
      if (column.has(slot)) {
        long time = group.times()[slot];
        switch (column) {
          case Column.Doubles of -> samples.add(time, of.values()[slot], 0);
          case Column.Longs of -> samples.add(time, of.values()[slot], 0);
          case Column.Texts of ->
              samples.add(time, of.bytes(), of.start(slot), of.end(slot) - of.start(slot), 0);
        }
      }
    }
    return samples;
  }
}
