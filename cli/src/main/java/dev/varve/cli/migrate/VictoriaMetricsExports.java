package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.MetricSelector;
import dev.varve.cli.migrate.ListedSource.Wanted;
import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerRequest;
import dev.varve.formats.export.VictoriaMetricsLines;
import dev.varve.formats.text.BadLineException;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads series by VictoriaMetrics' export. */
final class VictoriaMetricsExports implements ListedSource.Reader {
  private static final int ROWS_PER_LINE = 8_192;

  @Override
  public void read(ServerConnection connection, Wanted wanted, InOrder samples) throws IOException {
    String selector =
        wanted.labels().entrySet().stream()
            .map(label ->
                MetricSelector.quoted(label.getKey())
                    + "="
                    + MetricSelector.quoted(label.getValue()))
            .collect(Collectors.joining(",", "{", "}"));
    String query =
        "?match%%5B%%5D=%s&start=%d&end=%d&max_rows_per_line=%d"
            .formatted(
                URLEncoder.encode(selector, StandardCharsets.UTF_8),
                wanted.first(),
                wanted.last(),
                ROWS_PER_LINE);
    VictoriaMetricsLines reader = new VictoriaMetricsLines(Resolution.MILLISECONDS, Map.of());
    try (InputStream answer = connection.send(ServerRequest.get("/api/v1/export" + query));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(answer, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        BatchBuilder batch = new BatchBuilder();
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        reader.read(bytes, 0, bytes.length, batch);
        for (SampleGroup group : batch.build().groups()) {
          pass(group, samples);
        }
      }
    } catch (BadLineException e) {
      throw new CommandFailedException(
          "the export of %s: %s".formatted(wanted.series(), e.getMessage()));
    }
  }

  /** Passes on samples in the order of slots: some values are integers that no double equals. */
  private static void pass(SampleGroup group, InOrder to) throws IOException {
    Samples samples = null;
    for (int slot = 0; slot < group.size(); slot++) {
      for (Column column : group.columns()) {
        if (!column.has(slot)) {
          continue;
        }
        if (samples == null || samples.kind() != column.kind()) {
          if (samples != null) {
            to.accept(samples);
          }
          samples = new Samples(column.kind());
        }
        long time = group.times()[slot];
        switch (column) {
          case Column.Doubles of -> samples.add(time, of.values()[slot], 0);
          case Column.Longs of -> samples.add(time, of.values()[slot], 0);
          case Column.Texts _ -> throw new IllegalStateException("an export has numbers alone");
        }
      }
    }
    if (samples != null) {
      to.accept(samples);
    }
  }
}
