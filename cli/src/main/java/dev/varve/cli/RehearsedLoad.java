package dev.varve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.server.prometheus.RemoteWriteClient;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A minute of the life of a server, in a few seconds: agents write, dashboards query. The JVM keeps
 * what it learns of the branches and types on these paths with the cache of classes, so later
 * servers compile them once and right, instead of several times.
 */
final class RehearsedLoad {
  private static final int HOSTS = 100;
  private static final int FIELDS = 20;

  /** Enough batches for two full heads, so that blocks are written as in a long run. */
  static final int WRITES = 2_500;

  private static final int LINES = 400;
  private static final int QUESTIONS = 300;
  private static final long STEP_MS = 10_000;

  /** The usual queries of dashboards. */
  private static final List<String> QUERIES =
      List.of(
          "cpu_f0{host=\"h1\"}",
          "sum by (region) (rate(cpu_f1[5m]))",
          "max by (host) (max_over_time(cpu_f4{host=~\"h[1-8]\"}[1m]))",
          "avg(cpu_f2) by (host)",
          "topk(5, cpu_f3)");

  private final HttpClient client = HttpClient.newHttpClient();
  private final String address;
  private final int writes;
  private final long end;

  /**
   * @param address of the server
   * @param writes number of batches of remote write
   * @param end time of the last sample, in ms since 1970
   */
  RehearsedLoad(String address, int writes, long end) {
    this.address = address;
    this.writes = writes;
    this.end = end;
  }

  /**
   * Writes and queries.
   *
   * @throws IOException if the server cannot be reached
   */
  void run() throws IOException {
    write();
    writeLines();
    for (int i = 0; i < QUESTIONS; i++) {
      ask(QUERIES.get(i % QUERIES.size()));
    }
  }

  private void write() throws IOException {
    Map<SortedMap<String, String>, Double> values = new HashMap<>();
    for (int write = 0; write < writes; write++) {
      for (int host = 0; host < HOSTS; host++) {
        for (int field = write % 2; field < FIELDS; field += 2) {
          values.put(labels(host, field), value(write, host, field));
        }
      }
      long time = end - (writes - write) * STEP_MS;
      post("/api/v1/write", RemoteWriteClient.request(values, time));
      values.clear();
    }
  }

  private static SortedMap<String, String> labels(int host, int field) {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put("__name__", "cpu_f" + field);
    labels.put("host", "h" + host);
    labels.put("region", "r" + host % 7);
    labels.put("os", "os" + host % 3);
    labels.put("service", "service" + host % 11);
    return labels;
  }

  /** Returns whole numbers, decimals, a counter that is reset, and a constant. */
  private static double value(int write, int host, int field) {
    return switch (field % 4) {
      case 0 -> (write * 31 + host * 17) % 100;
      case 1 -> (write * 7 + host) % 1000 / 10.0;
      case 2 -> write % 900 * (host + 1.0);
      default -> host;
    };
  }

  private void writeLines() throws IOException {
    for (int write = 0; write < LINES; write++) {
      StringBuilder lines = new StringBuilder();
      for (int host = 0; host < HOSTS; host++) {
        lines
            .append("disk,host=h%d,path=/ ".formatted(host))
            .append(
                "free=%di,used=%d.5 %d%n".formatted(write, host, end - (LINES - write) * 1000L));
      }
      post("/write?precision=ms", lines.toString().getBytes(UTF_8));
    }
  }

  private void ask(String query) throws IOException {
    String encoded = "query=" + URLEncoder.encode(query, UTF_8);
    long to = end / 1000;
    get("/api/v1/query?time=%d&%s".formatted(to, encoded));
    get("/api/v1/query_range?start=%d&end=%d&step=60&%s".formatted(to - 3600, to, encoded));
  }

  private void post(String path, byte[] body) throws IOException {
    send(HttpRequest.newBuilder(URI.create(address + path)).POST(BodyPublishers.ofByteArray(body)));
  }

  private void get(String path) throws IOException {
    send(HttpRequest.newBuilder(URI.create(address + path)));
  }

  private void send(HttpRequest.Builder request) throws IOException {
    try {
      int status = client.send(request.build(), BodyHandlers.discarding()).statusCode();
      if (status / 100 != 2) {
        throw new IOException("the server answers " + status);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
