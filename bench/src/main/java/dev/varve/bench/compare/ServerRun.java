package dev.varve.bench.compare;

import java.io.IOException;
import java.nio.file.Path;

/** The measurements of one server with one data set by one protocol. */
final class ServerRun {
  private final Options options;
  private final Results results;
  private final Product product;
  private final Bodies bodies;
  private final Path folder;

  ServerRun(Options options, Results results, Product product, Bodies bodies, Path folder) {
    this.options = options;
    this.results = results;
    this.product = product;
    this.bodies = bodies;
    this.folder = folder;
  }

  void run() throws Exception {
    Running server = Running.start(product, folder);
    try {
      product.prepare(server);
      load(server);
      if (options.phases().contains("restart")) {
        server = restart(server);
      }
    } finally {
      server.close();
    }
  }

  private void load(Running server) throws Exception {
    ProcessFigures figures = server.figures();
    double before = figures.cpuSeconds();
    long writtenBefore = figures.writtenBytes();
    Load.Sent sent = new Load(server, bodies, Double.POSITIVE_INFINITY).run();
    double millions = bodies.samples() / 1e6;
    add(Measures.RATE, bodies.samples() / sent.seconds());
    add(Measures.CPU_ACKED, (figures.cpuSeconds() - before) / millions);
    add(Measures.ACK_MEDIAN, sent.percentile(0.5));
    add(Measures.ACK_P99, sent.percentile(0.99));
    add(Measures.ACK_MAX, sent.percentile(1));
    add(Measures.REPEATED, sent.repeated());
    boolean settled =
        Settling.await(server, product.quietTime(), Comparison.patience(options));
    if (!settled) {
      results.notes().add(
          "%s did not settle after %s".formatted(product.name(), bodies.data().name()));
    }
    add(Measures.CPU_SETTLED, (figures.cpuSeconds() - before) / millions);
    add(Measures.PEAK_RSS, figures.peakBytes() / 1e6);
    add(Measures.WRITTEN, (figures.writtenBytes() - writtenBefore) / (double) bodies.samples());
    add(Measures.DISK_RUNNING, perSample(ProcessFigures.diskBytes(server.data())));
    add(Measures.DISK_REST, perSample(product.atRest(server)));
    count(server);
  }

  private void count(Running server) throws IOException {
    long counted = product.count(server, bodies.data());
    add(Measures.LOST, bodies.samples() - counted);
    if (counted != bodies.samples()) {
      String note =
          "%s counts %,d samples of %s after %,d were sent by %s"
              .formatted(
                  product.name(),
                  counted,
                  bodies.data().name(),
                  bodies.samples(),
                  bodies.protocol().text());
      results.notes().add(note);
      System.err.println(note);
    }
  }

  private Running restart(Running server) throws Exception {
    long stopped = System.nanoTime();
    server.stop();
    long started = System.nanoTime();
    add(Measures.STOP, (started - stopped) / 1e9);
    add(Measures.DISK_STOPPED, perSample(ProcessFigures.diskBytes(server.data())));
    Running again = Running.start(product, folder);
    add(Measures.START, (System.nanoTime() - started) / 1e9);
    Settling.await(again, product.quietTime(), Comparison.patience(options));
    add(Measures.DISK_RESTARTED, perSample(ProcessFigures.diskBytes(again.data())));
    return again;
  }

  private double perSample(long bytes) {
    return bytes / (double) bodies.samples();
  }

  private void add(String measure, double value) {
    results
        .figures()
        .add(
            new Figure(
                product.name(),
                bodies.data().name(),
                bodies.protocol().text(),
                "",
                measure,
                value,
                false));
    Comparison.progress(
        "%s %s %s: %s %.4g",
        product.name(), bodies.data().name(), bodies.protocol().text(), measure, value);
  }
}
