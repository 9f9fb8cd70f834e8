package dev.varve.store.rocksdb;

import dev.varve.store.Store;
import dev.varve.store.contract.Gap;
import dev.varve.store.contract.StoreContract;
import dev.varve.store.contract.StoreFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class RocksContractTest {
  @TempDir private Path directory;

  @TestFactory
  List<DynamicNode> rocksStoreKeepsTheContract() {
    return StoreContract.of(new Rocks(), directory);
  }

  private static final class Rocks implements StoreFixture {
    @Override
    public String name() {
      return "rocksdb";
    }

    @Override
    public Store open(Path directory) {
      return new RocksStoreProvider().open(directory, 32L << 20, Map.of());
    }

    @Override
    public List<Gap> gaps() {
      return List.of();
    }
  }
}
