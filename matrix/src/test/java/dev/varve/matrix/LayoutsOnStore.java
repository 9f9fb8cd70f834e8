package dev.varve.matrix;

import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.contract.KnownLayouts;
import dev.varve.layout.contract.LayoutFixture;
import dev.varve.layout.contract.LayoutLab;
import dev.varve.layout.contract.Rooms;
import dev.varve.layout.contract.StoreOfLayouts;
import dev.varve.store.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.function.ThrowingConsumer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests the promises of every layout on the tables of one store, and the engine on it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LayoutsOnStore {
  /** Tries of each promise when a change is checked, each with another seed. */
  static final int TRIES_OF_A_CHECK = 2;

  /** Tries in this run: {@code -Dvarve.matrix.tries}. */
  private static final int TRIES = Integer.getInteger("varve.matrix.tries", TRIES_OF_A_CHECK);

  private static final long SEED = Long.getLong("varve.matrix.seed", 1);

  private final String kind;
  private Path directory;
  private RunningStore running;
  private Store store;
  private Counts counts;
  private LiveThreads before;

  LayoutsOnStore(String kind) {
    this.kind = kind;
  }

  @BeforeAll
  void start(@TempDir Path temporary) {
    directory = temporary;
    counts = new Counts(kind);
    running = RunningStore.start(kind, directory);
    before = LiveThreads.now();
    store = running.open();
  }

  @AfterAll
  void stop() {
    counts.write();
    if (store != null) {
      StoreWords.write(kind, store);
      store.close();
      before.awaitEnd();
    }
  }

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  List<DynamicNode> layoutsKeepTheirContract() {
    List<DynamicNode> layouts = new ArrayList<>();
    KnownLayouts.fixtures()
        .forEach((name, fixture) ->
            layouts.add(DynamicContainer.dynamicContainer(name, promises(name, fixture))));
    return layouts;
  }

  private List<DynamicTest> promises(String name, LayoutFixture fixture) {
    Rooms rooms = new Rooms(store, name + ".");
    StoreOfLayouts layout = new StoreOfLayouts(new LayoutLab(fixture, rooms::room));
    return layout.promises().entrySet().stream()
        .map(promise ->
            DynamicTest.dynamicTest(
                promise.getKey(),
                () -> {
                  for (long seed = SEED; seed < SEED + TRIES; seed++) {
                    promise.getValue().accept(seed);
                  }
                  counts.passed(name);
                }))
        .toList();
  }

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  List<DynamicTest> nothingIsAcknowledgedThatIsNotThereWhereTheStoreFails() {
    return FaultsOnStore.layouts().stream()
        .map(layout ->
            DynamicTest.dynamicTest(
                layout,
                () ->
                    withStoreOfOneEngine(
                        "faults-" + layout,
                        one -> new FaultsOnStore(one, directory, layout).check())))
        .toList();
  }

  /**
   * Runs a test of one engine at a time. In an embedded store all engines share the mark of their
   * clocks, as if each were the only one, so such a test gets a store of its own.
   *
   * @param name of the test
   */
  private void withStoreOfOneEngine(String name, ThrowingConsumer<Store> test) throws Throwable {
    if (!store.isEmbedded()) {
      test.accept(store);
      return;
    }
    try (Store own = running.open(name + ".store")) {
      test.accept(own);
    }
  }

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  List<DynamicTest> deletesLeaveWhatTheModelHas() {
    // Other stores refuse blocks by name.
    Stream<String> blocks = store.isEmbedded() ? Stream.of(BlockLayout.NAME) : Stream.empty();
    return Stream.concat(DatasetsOnStore.layouts().stream(), blocks)
        .map(layout ->
            DynamicTest.dynamicTest(
                layout,
                () ->
                    withStoreOfOneEngine(
                        "deletes-" + layout,
                        one -> new DeletesOnStore(one, directory, layout).check())))
        .toList();
  }

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  List<DynamicTest> datasetsAnswerAsTheModel() {
    return DatasetsOnStore.layouts().stream()
        .map(layout ->
            DynamicTest.dynamicTest(
                layout,
                () -> {
                  new DatasetsOnStore(kind, running.options(), directory, layout).check();
                  counts.passed(layout);
                }))
        .toList();
  }
}
