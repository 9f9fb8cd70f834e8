package dev.varve.matrix;

import dev.varve.devstores.BigtableEmulator;
import dev.varve.devstores.CassandraNode;
import dev.varve.devstores.DevStore;
import dev.varve.devstores.HBaseServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One real store of each kind for all test classes that run in this process, since a start takes
 * longer than most of them. Each is started when it is first asked for, and ended with the process.
 * Classes name their tables apart; those that stop a store, or look at how it starts, have their
 * own.
 */
final class RealStores {
  private static final Path DIRECTORY = newDirectory();

  private static final Started<BigtableEmulator> BIGTABLE =
      new Started<>(() -> BigtableEmulator.start(DIRECTORY.resolve("bigtable")));
  private static final Started<HBaseServer> HBASE =
      new Started<>(() -> HBaseServer.start(DIRECTORY.resolve("hbase")));
  private static final Started<CassandraNode> CASSANDRA =
      new Started<>(() -> CassandraNode.shortLived(DIRECTORY.resolve("cassandra")));

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(RealStores::end, "end of real stores"));
  }

  private RealStores() {}

  /** A store that is started once. */
  private static final class Started<S extends DevStore> {
    private final Supplier<S> start;
    private @Nullable S store;

    private Started(Supplier<S> start) {
      this.start = start;
    }

    private synchronized S get() {
      if (store == null) {
        store = start.get();
      }
      return store;
    }

    private synchronized void kill() {
      if (store != null) {
        store.kill();
      }
    }
  }

  static BigtableEmulator bigtable() {
    return BIGTABLE.get();
  }

  static HBaseServer hbase() {
    return HBASE.get();
  }

  /** Where HBase keeps its files. */
  static Path hbaseDirectory() {
    return DIRECTORY.resolve("hbase");
  }

  static CassandraNode cassandra() {
    return CASSANDRA.get();
  }

  static DevStore of(String kind) {
    return switch (kind) {
      case "bigtable" -> bigtable();
      case "hbase" -> hbase();
      case "cassandra" -> cassandra();
      default -> throw new IllegalArgumentException("no real store: " + kind);
    };
  }

  /** All of them, started beside one another where they do not run yet. */
  static List<DevStore> all() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      return Stream.of("bigtable", "hbase", "cassandra")
          .map(kind -> CompletableFuture.supplyAsync(() -> of(kind), threads))
          .toList()
          .stream()
          .map(CompletableFuture::join)
          .toList();
    }
  }

  private static Path newDirectory() {
    try {
      return Files.createTempDirectory("varve-stores");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void end() {
    BIGTABLE.kill();
    HBASE.kill();
    CASSANDRA.kill();
    try (Stream<Path> files = Files.walk(DIRECTORY)) {
      files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete the stores in " + DIRECTORY, e);
    }
  }
}
