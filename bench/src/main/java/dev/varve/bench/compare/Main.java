package dev.varve.bench.compare;

import dev.varve.bench.ScratchFolder;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/**
 * Compares Varve with VictoriaMetrics, Prometheus, InfluxDB and QuestDB: the cost of writing, the
 * size of the data, and the cost of queries.
 *
 * <p>{@code parts/debian/fetch prometheus victoria-metrics influxdb} and {@code ./mvnw -q -f
 * parts/questdb/pom.xml generate-resources} fetch the others.
 */
public final class Main {
  private Main() {}

  /** Runs the comparison, prints its tables and writes its figures into a file. */
  public static void main(String[] arguments) throws Exception {
    Options options = options(arguments);
    Results results = new Results();
    results.header().put("processors", "" + Runtime.getRuntime().availableProcessors());
    results.header().put("Java", System.getProperty("java.version"));
    results.header().put("system", System.getProperty("os.version"));
    results.header().put("scale", "" + options.scale());
    results.header().put("measured on", LocalDate.now(ZoneOffset.UTC).toString());
    for (String variable : List.of("VARVE_HEAP", "VARVE_JAVA_OPTS")) {
      String value = System.getenv(variable);
      if (value != null) {
        results.header().put(variable, value);
      }
    }
    try (ScratchFolder scratch = ScratchFolder.make()) {
      new Comparison(options, scratch.path(), results).run();
    }
    write(results, options);
    System.out.print(new Report(results).text());
  }

  private static void write(Results results, Options options) throws IOException {
    results.write(options.json());
    System.err.println("figures are in " + options.json());
  }

  private static Options options(String... arguments) {
    try {
      Options options = Options.of(arguments);
      // An unknown name would end a run of hours in its middle.
      options.datasets().forEach(name -> DataSet.named(name, options.scale()));
      options.servers().forEach(name -> Product.named(name, options));
      return options;
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.err.println(Options.USAGE);
      System.exit(2);
      throw e;
    }
  }
}
