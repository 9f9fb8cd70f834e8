package dev.varve.store.contract;

import dev.varve.store.Store;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class MemoryContractTest {
  @TempDir private Path directory;

  @TestFactory
  List<DynamicNode> memoryStoreKeepsTheContract() {
    return StoreContract.of(new Memory(), directory);
  }

  private static final class Memory implements StoreFixture {

    @Override
    public String name() {
      return "memory";
    }

    @Override
    public Store open(Path directory) {
      return new MemoryStore();
    }

    @Override
    public List<Gap> gaps() {
      return List.of(
          gap("resumes after the store was opened again", "[]"),
          gap("resumes after the store was opened again, in partitions", "[]"),
          gap("keeps synced cells over a close", "[]"),
          gap("keeps ordered cells over a close", "[]"),
          gap("keeps versions and deletes over a close", "[]"),
          gap("keeps what powers wrote over a close", "[]"),
          gap("keeps how a table was made over a close", "has no table 't'"),
          gap("behaves as the memory store does, opened again and again", "Reopen[]"));
    }

    private static Gap gap(String test, String wrongResult) {
      return new Gap(test, "memory does not survive closing the store", wrongResult);
    }
  }
}
