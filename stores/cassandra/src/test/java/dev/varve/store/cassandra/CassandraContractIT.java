package dev.varve.store.cassandra;

import dev.varve.devstores.CassandraNode;
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

/** One node; every test in a keyspace of its own. */
class CassandraContractIT {
  @TempDir private static Path directory;
  private static CassandraNode node;

  @BeforeAll
  static void start() {
    node = CassandraNode.shortLived(directory.resolve("node"));
  }

  @AfterAll
  static void stop() {
    node.kill();
  }

  @TestFactory
  List<DynamicNode> cassandraKeepsTheContract() {
    return StoreContract.of(new Fixture(node.options()), directory.resolve("stores"));
  }

  private record Fixture(Map<String, String> node) implements StoreFixture {
    @Override
    public String name() {
      return "cassandra";
    }

    @Override
    public Store open(Path directory) {
      Map<String, String> options = new HashMap<>(node);
      options.put("keyspace", String.valueOf(directory.getFileName()).replace('-', '_'));
      return new CassandraStoreProvider().open(directory, 0, options);
    }

    @Override
    public int oneIn() {
      return 25;
    }

    @Override
    public List<Gap> gaps() {
      return List.of(
          new Gap(
              "shows every row whole",
              "each family is a table of its own, and what is read of two of them are two reads",
              "different values in a row"));
    }
  }
}
