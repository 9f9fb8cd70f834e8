package dev.varve.store.bigtable;

import dev.varve.devstores.BigtableEmulator;
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

/** Runs the contract on one emulator, with separate tables for each test. */
class BigtableContractIT {
  @TempDir private static Path directory;
  private static BigtableEmulator emulator;

  @BeforeAll
  static void start() {
    emulator = BigtableEmulator.start(directory.resolve("emulator"));
  }

  @AfterAll
  static void stop() {
    emulator.close();
  }

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  List<DynamicNode> bigtableStoreKeepsTheContract() {
    return StoreContract.of(new Bigtable(emulator.options()), directory);
  }

  private record Bigtable(Map<String, String> emulator) implements StoreFixture {
    @Override
    public String name() {
      return "bigtable";
    }

    @Override
    public Store open(Path directory) {
      Map<String, String> options = new HashMap<>(emulator);
      options.put("prefix", directory.getFileName() + "-");
      return new BigtableStoreProvider().open(directory, 0, options);
    }

    @Override
    public int oneIn() {
      return 101;
    }

    @Override
    public List<Gap> gaps() {
      return List.of();
    }
  }
}
