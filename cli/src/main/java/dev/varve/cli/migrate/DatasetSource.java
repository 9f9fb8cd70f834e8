package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.target.Target;
import dev.varve.formats.export.ExportWriter;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.server.varve.QueryParameters;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A dataset of a home or of a server, in any layout and store. It is read metric by metric. */
final class DatasetSource implements MigrationSource {
  private final Target dataset;
  private final String name;
  private final Selection selection;

  DatasetSource(Target dataset, String name, Selection selection) {
    this.dataset = dataset;
    this.name = name;
    this.selection = selection;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Resolution resolution() {
    return dataset.resolution();
  }

  /** Waits for the catalog, because a list of metrics may be that of half of it. */
  @Override
  public List<String> metrics() throws IOException {
    dataset.awaitCatalog();
    return dataset.metrics(selection.selector());
  }

  @Override
  public void read(String metric, @Nullable Series from, Receiver to) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>(selection.times());
    texts.put("selector", selection.of(metric));
    long leftOut =
        dataset.export(
            QueryParameters.ofRows(texts),
            new ExportWriter() {
              @Override
              public void write(Series series, Samples samples, int first, int end)
                  throws IOException {
                to.accept(series, samples, first, end);
              }

              @Override
              public void finish() {}

              @Override
              public long leftOut() {
                return 0;
              }
            });
    if (leftOut > 0) {
      throw new CommandFailedException(
          "%,d samples of metric '%s' cannot be read from the server: the name of their metric or field has a line break; migrate from the data directory, without the server"
              .formatted(leftOut, metric));
    }
  }

  @Override
  public void close() {
    dataset.close();
  }
}
