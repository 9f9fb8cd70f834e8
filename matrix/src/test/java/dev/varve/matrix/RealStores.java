package dev.varve.matrix;

import dev.varve.devstores.BigtableEmulator;
import dev.varve.devstores.CassandraNode;
import dev.varve.devstores.DevStore;
import dev.varve.devstores.HBaseServer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** One of each kind of real store, all started at once. */
record RealStores(BigtableEmulator bigtable, HBaseServer hbase, CassandraNode cassandra)
    implements AutoCloseable {
  static RealStores start(Path directory) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CompletableFuture<HBaseServer> hbase =
          CompletableFuture.supplyAsync(
              () -> HBaseServer.start(directory.resolve("hbase")), threads);
      CompletableFuture<CassandraNode> cassandra =
          CompletableFuture.supplyAsync(
              () -> CassandraNode.shortLived(directory.resolve("cassandra")), threads);
      BigtableEmulator bigtable = BigtableEmulator.start(directory.resolve("bigtable"));
      return new RealStores(bigtable, hbase.join(), cassandra.join());
    }
  }

  List<DevStore> all() {
    return List.of(bigtable, hbase, cassandra);
  }

  @Override
  public void close() {
    all().forEach(DevStore::close);
  }
}
