package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KnownLayoutsTest {
  @Test
  void theyAreAllThatAreUnderTheContract() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/test/java/dev/varve/layout/contract"))) {
      List<String> contracts =
          files
              .map(file -> file.getFileName().toString().replace(".java", ""))
              .filter(name -> name.endsWith("ContractTest"))
              .toList();

      assertThat(KnownLayouts.CONTRACTS)
          .extracting(contract -> contract.getClass().getSimpleName())
          .containsExactlyInAnyOrderElementsOf(contracts);
      assertThat(KnownLayouts.fixtures())
          .hasSameSizeAs(contracts)
          .containsKeys("heroic", "opentsdb-salted", "single-timestamp-packed");
    }
  }

  @Test
  void memoryHoldsThem() {
    KnownLayouts.fixtures()
        .forEach((name, fixture) -> {
          Rooms rooms = new Rooms(new MemoryStore(), name + ".");
          StoreOfLayouts promises = new StoreOfLayouts(new LayoutLab(fixture, rooms::room));
          promises.promises().values().forEach(promise -> promise.accept(1));
        });
  }
}
