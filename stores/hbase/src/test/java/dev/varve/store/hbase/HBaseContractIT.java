package dev.varve.store.hbase;

import dev.varve.devstores.HBaseServer;
import dev.varve.store.Store;
import dev.varve.store.contract.Gap;
import dev.varve.store.contract.StoreContract;
import dev.varve.store.contract.StoreFixture;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs the store contract on one HBase, with a namespace for each store. */
class HBaseContractIT {
  @TempDir private static Path directory;
  private static HBaseServer server;

  @BeforeAll
  static void start() {
    server = HBaseServer.start(directory.resolve("hbase"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  List<DynamicNode> hbaseStoreKeepsTheContract() {
    return StoreContract.of(new HBase(), directory);
  }

  private static final class HBase implements StoreFixture {
    @Override
    public String name() {
      return "hbase";
    }

    @Override
    public Store open(Path directory) {
      Map<String, String> options = new HashMap<>(server.options());
      options.put("namespace", directory.getFileName().toString().replace('-', '_'));
      options.put("hbase.client.pause", "10");
      return new HBaseStoreProvider().open(directory, 0, options);
    }

    @Override
    public int oneIn() {
      return 10;
    }

    @Override
    public List<Gap> gaps() {
      String lookedAt = "spends its budget on what it only looks at";
      return List.of(gap(lookedAt), gap(lookedAt + ", in partitions"));
    }

    private static Gap gap(String test) {
      return new Gap(
          test,
          "HBase's servers do not report which cells they skipped",
          "Expecting code to raise a throwable");
    }
  }
}
