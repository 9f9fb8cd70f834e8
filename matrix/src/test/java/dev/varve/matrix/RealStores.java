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
 * One real store of each kind for all test classes of this process, because a start takes longer
 * than most tests. Each is started on first use and ends with the process. Classes use different
 * table names; those that stop a store or test its start have their own.
 */
public final class RealStores {
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

  /** A store that is started at most once. */
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

  public static HBaseServer hbase() {
    return HBASE.get();
  }

  /** Returns the folder of HBase's files. */
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

  /** Returns all stores, and starts those that do not run yet concurrently. */
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
