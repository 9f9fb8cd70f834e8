package dev.varve.bench.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Sends all bodies over {@link DataSet#STREAMS} connections, each request after the answer to the
 * one before.
 *
 * @param samplesPerSecond maximum rate over all connections; infinite for no limit
 * @param secondsMax sending stops after this time; infinite to send everything. If it is finite,
 *     the first third of the requests is warm-up and missing from {@code millis}
 */
record Load(Running server, Bodies bodies, double samplesPerSecond, double secondsMax) {
  /** Maximum number of times that an overloaded server may refuse a request. */
  private static final int TRIES_MAX = 1_000;

  private static final double PAUSE_SECONDS = 0.05;

  /**
   * The measurements of all connections.
   *
   * @param seconds from the first request to the last answer
   * @param millis sorted times to the answer, repeated requests included: from the request, or, at
   *     a limited rate, from when it was due, so that waiting for the one before counts
   * @param repeated requests that the server asked to repeat
   */
  record Sent(double seconds, double[] millis, long repeated) {
    double percentile(double part) {
      return millis[(int) Math.min(millis.length - 1L, (long) (millis.length * part))];
    }
  }

  /** The measurements of one connection. */
  private record Part(double[] millis, long repeated) {}

  Sent run() throws Exception {
    long start = System.nanoTime();
    List<Callable<Part>> streams = new ArrayList<>();
    for (int stream = 0; stream < DataSet.STREAMS; stream++) {
      int number = stream;
      streams.add(() -> send(number, start));
    }
    List<Part> parts = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(DataSet.STREAMS)) {
      for (Future<Part> part : threads.invokeAll(streams)) {
        parts.add(part.get());
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    double[] millis =
        parts.stream().flatMapToDouble(part -> Arrays.stream(part.millis())).sorted().toArray();
    return new Sent(seconds, millis, parts.stream().mapToLong(Part::repeated).sum());
  }

  private Part send(int stream, long start) throws IOException, InterruptedException {
    Product product = server.product();
    int fields = bodies.data().entities().getFirst().fields().size();
    int atLeast = product.rowsOfRequest(bodies.protocol(), fields);
    List<Double> millis = new ArrayList<>();
    long repeated = 0;
    long sent = 0;
    try (Bodies.Reading reading = bodies.read(stream);
        Connection connection = new Connection(server.port())) {
      for (int rows = reading.next(atLeast); rows > 0; rows = reading.next(atLeast)) {
        double due = sent * fields * DataSet.STREAMS / samplesPerSecond;
        if (due > secondsMax) {
          break;
        }
        boolean isLimited = samplesPerSecond != Double.POSITIVE_INFINITY;
        long dueAt = start + (long) (due * 1e9);
        await(dueAt);
        long begun = isLimited ? dueAt : System.nanoTime();
        repeated += post(connection, reading);
        millis.add((System.nanoTime() - begun) / 1e6);
        sent += rows;
      }
    }
    if (secondsMax != Double.POSITIVE_INFINITY) {
      millis.subList(0, millis.size() / 3).clear();
    }
    return new Part(millis.stream().mapToDouble(Double::doubleValue).toArray(), repeated);
  }

  private static void await(long nanos) throws InterruptedException {
    long left = nanos - System.nanoTime();
    if (left > 0) {
      Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
    }
  }

  /** Sends a body until the server accepts it, and returns the number of refusals before. */
  private int post(Connection connection, Bodies.Reading body)
      throws IOException, InterruptedException {
    Protocol protocol = bodies.protocol();
    String target = server.product().writeTarget(protocol);
    for (int refused = 0; refused < TRIES_MAX; refused++) {
      int status = connection.send("POST", target, protocol.headers(), body.body(), body.length());
      if (status / 100 == 2) {
        return refused;
      }
      if (status != 503 && status != 429) {
        throw new IOException(
            "%s answered a write with %d: %s"
                .formatted(server.product().name(), status, connection.text()));
      }
      Thread.sleep((long) (1_000 * Math.max(connection.retryAfter(), PAUSE_SECONDS)));
    }
    throw new IOException(
        "%s refused a write %d times: %s"
            .formatted(server.product().name(), TRIES_MAX, connection.text()));
  }
}
