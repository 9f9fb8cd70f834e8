package dev.varve.server.prometheus;

import dev.varve.formats.protobuf.WireWriter;
import java.util.Map;
import java.util.SortedMap;

/**
 * The messages of a client of Prometheus' <a
 * href="https://prometheus.io/docs/specs/prw/remote_write_spec/">remote write 1.0</a>.
 */
public final class RemoteWriteClient {
  private RemoteWriteClient() {}

  /**
   * Returns the body of a request with one sample of each series.
   *
   * @param values value by the labels of the series, with {@code __name__}
   * @param time of all samples, in ms since 1970
   */
  public static byte[] request(Map<SortedMap<String, String>, Double> values, long time) {
    WireWriter request = new WireWriter();
    values.forEach((labels, value) -> {
      WireWriter series = new WireWriter();
      labels.forEach(
          (name, text) -> series.message(1, new WireWriter().text(1, name).text(2, text)));
      request.message(1, series.message(2, new WireWriter().real(1, value).varint(2, time)));
    });
    return SnappyBlock.pack(request.toBytes(), () -> {});
  }
}
