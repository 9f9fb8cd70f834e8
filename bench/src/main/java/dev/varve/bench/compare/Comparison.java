package dev.varve.bench.compare;

import dev.varve.bench.ScratchFolder;
import dev.varve.devstores.DevStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;

/** One run: each data set into each server by each protocol, one server after the other. */
final class Comparison {
  private final Options options;
  private final Path scratch;
  private final Results results;
  private final Answers answers;

  Comparison(Options options, Path scratch, Results results) {
    this.options = options;
    this.scratch = scratch;
    this.results = results;
    this.answers = new Answers(results);
  }

  void run() throws Exception {
    List<Product> products = products();
    for (String name : options.datasets()) {
      DataSet data = DataSet.named(name, options.scale());
      for (Protocol protocol : options.protocols()) {
        Path kept = options.bodies();
        Path folder = Files.createDirectories(kept == null ? scratch.resolve("bodies") : kept);
        Progress.say("%s: making bodies of %s".formatted(data.name(), protocol.text()));
        Bodies bodies = Bodies.in(folder, data, protocol);
        for (Product product : products) {
          if (product.protocols().contains(protocol)) {
            measure(product, bodies);
            results.write(options.json());
          }
        }
        if (kept == null) {
          bodies.delete();
        }
      }
    }
    // They are figures of the full data sets.
    if (options.scale() == 1) {
      addKnown();
    }
  }

  /** Adds earlier figures for the measurements that this run was to make and did not. */
  private void addKnown() throws IOException {
    Set<String> measured = new HashSet<>();
    results.figures().forEach(figure -> measured.add(place(figure)));
    Set<String> protocols = new HashSet<>();
    options.protocols().forEach(protocol -> protocols.add(protocol.text()));
    if (options.phases().contains("queries")) {
      protocols.add("");
    }
    for (String server : options.servers()) {
      for (Figure figure : KnownFigures.of(server, options.datasets())) {
        if (protocols.contains(figure.protocol()) && !measured.contains(place(figure))) {
          results.figures().add(figure);
        }
      }
    }
  }

  private static String place(Figure figure) {
    return String.join("|", figure.server(), figure.dataset(), figure.protocol(), figure.query());
  }

  /** Finds the programs of the servers; one that is missing is left out with a note. */
  private List<Product> products() {
    List<Product> products = new ArrayList<>();
    for (String name : options.servers()) {
      Product product = Product.named(name, options);
      try {
        results.header().put(name, product.version());
        products.add(product);
      } catch (DevStoreException e) {
        results.note("%s was not measured: %s".formatted(name, e.getMessage()));
      }
    }
    return products;
  }

  private void measure(Product product, Bodies bodies) throws Exception {
    Path folder = scratch.resolve(product.name());
    try {
      new ServerRun(options, results, answers, product, bodies, folder).run();
    } catch (DevStoreException | IOException | ExecutionException e) {
      results.note(
          "%s failed with %s by %s: %s"
              .formatted(
                  product.name(), bodies.data().name(), bodies.protocol().text(), e.getMessage()));
    } finally {
      ScratchFolder.delete(folder);
    }
  }

  /** Returns the maximum time to wait until a server has settled. */
  static Duration patience(Options options) {
    return options.quick() ? Duration.ofSeconds(60) : Duration.ofMinutes(5);
  }
}
