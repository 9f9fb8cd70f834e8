package dev.varve.formats.export;

import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * OpenMetrics 1.0 text, {@code name{label="value"} 1 1700000000.123}, with times in seconds and
 * {@code # EOF} at the end. Names that are not identifiers are quoted, as in Prometheus 3. Metrics
 * have no type, since a type binds names. Texts and staleness markers are left out. Source: <a
 * href="https://prometheus.io/docs/specs/om/open_metrics_spec/">OpenMetrics</a>.
 */
final class OpenMetricsExport implements ExportWriter {
  private static final Pattern METRIC = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern LABEL = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");

  private final Writer out;
  private final Resolution resolution;
  private final int digits;
  private @Nullable Series series;
  private String head = "";
  private long leftOut;

  OpenMetricsExport(Writer out, Resolution resolution, long leftOut) {
    this.leftOut = leftOut;
    this.out = out;
    this.resolution = resolution;
    this.digits = Long.toString(resolution.perSecond()).length() - 1;
  }

  @Override
  public void write(Series next, Samples samples, int from, int to) throws IOException {
    if (samples.kind() == Kind.STRING) {
      leftOut += to - from;
      return;
    }
    if (!next.equals(series)) {
      series = next;
      head = head(next);
    }
    for (int i = from; i < to; i++) {
      if (samples.kind() == Kind.DOUBLE && StaleMarker.is(samples.doubleAt(i))) {
        leftOut++;
        continue;
      }
      out.write(head);
      out.write(
          samples.kind() == Kind.INT64
              ? Long.toString(samples.longAt(i))
              : number(samples.doubleAt(i)));
      out.write(' ');
      out.write(seconds(samples.time(i)));
      out.write('\n');
    }
  }

  private static String head(Series series) {
    boolean plain = METRIC.matcher(series.metric()).matches();
    StringJoiner labels = new StringJoiner(",", "{", "}");
    labels.setEmptyValue("");
    if (!plain) {
      labels.add(quoted(series.metric()));
    }
    series
        .labels()
        .forEach((name, value) ->
            labels.add(
                (LABEL.matcher(name).matches() ? name : quoted(name)) + "=" + quoted(value)));
    return (plain ? series.metric() : "") + labels + " ";
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  private static String number(double value) {
    return Double.isInfinite(value) ? (value > 0 ? "+Inf" : "-Inf") : NumberText.of(value);
  }

  private String seconds(long time) {
    return time % resolution.perSecond() == 0
        ? Long.toString(time / resolution.perSecond())
        : BigDecimal.valueOf(time, digits).stripTrailingZeros().toPlainString();
  }

  @Override
  public void finish() throws IOException {
    out.write("# EOF\n");
    out.flush();
  }

  @Override
  public long leftOut() {
    return leftOut;
  }
}
