package dev.varve.bench.originals;

import dev.varve.bench.compare.Connection;
import dev.varve.bench.compare.ProcessFigures;
import dev.varve.devstores.Jvm;
import dev.varve.devstores.KairosDb;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * KairosDB on its own database, H2, and Varve on RocksDB, with KairosDB's layout and with the
 * default one. Each store is in the process of its server, which writes all points itself.
 */
final class KairosDbH2Stage implements Stage {
  private static final List<String> LAYOUTS = List.of("kairosdb", "blocks");

  private final KairosDbApi api;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final Contestant original;
  private final List<Contestant> others = new ArrayList<>();

  KairosDbH2Stage(Options options, Path folder) throws IOException {
    this.api = new KairosDbApi(new Fleet(options.series(), options.samples()));
    try {
      KairosDb kairos = KairosDb.startOnH2(folder.resolve("kairosdb-h2"), Jvm.FULL);
      started.push(kairos);
      original = new Contestant("KairosDB", kairos.port(), "", new ProcessFigures(kairos.pid()));
      for (String layout : LAYOUTS) {
        varve("varve-" + layout, options.launcher(), folder, layout);
        Path before = options.before();
        if (before != null) {
          varve("before-" + layout, before, folder, layout);
        }
      }
      load();
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void varve(String name, Path launcher, Path folder, String layout) throws IOException {
    VarveProcess varve =
        VarveProcess.onRocksDb(name, launcher, folder.resolve(name), layout, "kairosdb");
    started.push(varve);
    others.add(varve.contestant());
  }

  private void load() throws IOException {
    List<Contestant> all = new ArrayList<>(List.of(original));
    all.addAll(others);
    for (Contestant server : all) {
      try (Connection connection = new Connection(server.port())) {
        server.askAll(connection, api.writes(Fleet.METRIC));
      }
    }
  }

  @Override
  public String title() {
    return "KairosDB 1.3.0-1 on H2 and Varve on RocksDB";
  }

  @Override
  public Contestant original() {
    return original;
  }

  @Override
  public List<Contestant> others() {
    return others;
  }

  @Override
  public @Nullable ProcessFigures store() {
    return null;
  }

  @Override
  public List<Question> writes(String metric) {
    return api.writes(metric);
  }

  @Override
  public List<Question> questions() {
    return api.questions();
  }

  @Override
  public void close() {
    Closing.all(started);
  }
}
