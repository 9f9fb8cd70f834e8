package dev.varve.bench.compare;

import java.io.IOException;
import java.nio.file.Path;

/** The measurements of one server with one data set by one protocol. */
final class ServerRun {
  private final Options options;
  private final Results results;
  private final QueryPhase queries;
  private final Product product;
  private final Bodies bodies;
  private final Path folder;

  ServerRun(
      Options options,
      Results results,
      Answers answers,
      Product product,
      Bodies bodies,
      Path folder) {
    this.options = options;
    this.results = results;
    this.queries = new QueryPhase(options, results, answers, bodies.data());
    this.product = product;
    this.bodies = bodies;
    this.folder = folder;
  }

  void run() throws Exception {
    double rate = whole();
    if (options.phases().contains("half")) {
      half(rate / 2);
    }
  }

  /** Returns the samples a second that the server took. */
  private double whole() throws Exception {
    Running server = Running.start(product, folder.resolve("whole"));
    try {
      product.prepare(server);
      double rate = load(server);
      if (!server.process().isAlive()) {
        server = Running.start(product, server.folder());
      }
      boolean asked =
          options.phases().contains("queries")
              && product.language().protocol() == bodies.protocol();
      if (asked) {
        queries.run(server, "");
      }
      if (options.phases().contains("restart")) {
        server = restart(server);
        if (asked) {
          queries.run(server, "restarted");
        }
      }
      return rate;
    } finally {
      server.close();
    }
  }

  private double load(Running server) throws Exception {
    ProcessFigures figures = server.figures();
    double before = figures.cpuSeconds();
    long writtenBefore = figures.writtenBytes();
    Load.Sent sent =
        new Load(server, bodies, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY).run();
    double millions = bodies.samples() / 1e6;
    add(Measures.RATE, bodies.samples() / sent.seconds());
    add(Measures.CPU_ACKED, (figures.cpuSeconds() - before) / millions);
    add(Measures.ACK_MEDIAN, sent.percentile(0.5));
    add(Measures.ACK_P99, sent.percentile(0.99));
    add(Measures.ACK_MAX, sent.percentile(1));
    add(Measures.REPEATED, (double) sent.repeated());
    if (!Settling.await(server, product.quietTime(), Comparison.patience(options))) {
      results.note("%s did not settle after %s".formatted(product.name(), bodies.data().name()));
    }
    add(Measures.CPU_SETTLED, (figures.cpuSeconds() - before) / millions);
    add(Measures.PEAK_RSS, figures.peakBytes() / 1e6);
    add(Measures.WRITTEN, (figures.writtenBytes() - writtenBefore) / (double) bodies.samples());
    add(Measures.DISK_RUNNING, perSample(ProcessFigures.diskBytes(server.data())));
    count(server);
    add(Measures.DISK_REST, perSample(product.atRest(server)));
    return bodies.samples() / sent.seconds();
  }

  /**
   * Writes at a given rate into an empty server, as a server that is not overloaded is written to.
   */
  private void half(double samplesPerSecond) throws Exception {
    try (Running server = Running.start(product, folder.resolve("half"))) {
      product.prepare(server);
      double seconds = options.quick() ? 10 : 60;
      Load.Sent sent = new Load(server, bodies, samplesPerSecond, seconds).run();
      add(Measures.HALF_MEDIAN, sent.percentile(0.5));
      add(Measures.HALF_P99, sent.percentile(0.99));
      add(Measures.HALF_MAX, sent.percentile(1));
    }
  }

  private void count(Running server) throws IOException {
    long counted = product.count(server, bodies.data());
    add(Measures.LOST, (double) (bodies.samples() - counted));
    if (counted != bodies.samples()) {
      results.note(
          "%s counts %,d samples of %s after %,d were sent by %s"
              .formatted(
                  product.name(),
                  counted,
                  bodies.data().name(),
                  bodies.samples(),
                  bodies.protocol().text()));
    }
  }

  private Running restart(Running server) throws Exception {
    long stopped = System.nanoTime();
    server.stop();
    long started = System.nanoTime();
    add(Measures.STOP, (started - stopped) / 1e9);
    add(Measures.DISK_STOPPED, perSample(ProcessFigures.diskBytes(server.data())));
    Running again = Running.start(product, server.folder());
    add(Measures.START, (System.nanoTime() - started) / 1e9);
    Settling.await(again, product.quietTime(), Comparison.patience(options));
    add(Measures.DISK_RESTARTED, perSample(ProcessFigures.diskBytes(again.data())));
    return again;
  }

  private double perSample(long bytes) {
    return bytes / (double) bodies.samples();
  }

  private void add(String measure, double value) {
    String data = bodies.data().name();
    String protocol = bodies.protocol().text();
    results.figures().add(new Figure(product.name(), data, protocol, "", measure, value, false));
    Progress.say("%s %s %s: %s %.4g".formatted(product.name(), data, protocol, measure, value));
  }
}
