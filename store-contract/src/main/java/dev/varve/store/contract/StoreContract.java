package dev.varve.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/** The contract: all tests that a store must pass, for use in a {@code @TestFactory} method. */
public final class StoreContract {
  private static final Map<String, List<ContractTest>> SUBJECTS = subjects();

  private StoreContract() {}

  private static Map<String, List<ContractTest>> subjects() {
    Map<String, List<ContractTest>> subjects = new LinkedHashMap<>();
    subjects.put("tables", TablePromises.tests());
    subjects.put("writes", WritePromises.tests());
    subjects.put("refusals", RefusalPromises.tests());
    subjects.put("byte order", ByteOrderPromises.tests());
    subjects.put("reads", ReadPromises.tests());
    subjects.put("paging", PagingPromises.tests());
    subjects.put("budget and cancel", StopPromises.tests());
    subjects.put("powers", PowerPromises.tests());
    subjects.put("threads", ThreadPromises.tests());
    subjects.put("closing", ClosePromises.tests());
    subjects.put("model", ModelPromises.tests());
    subjects.put("partitions", PartitionPromises.tests());
    return subjects;
  }

  /**
   * Returns the tests; each runs in its own store.
   *
   * @param directory an empty directory for the stores
   */
  public static List<DynamicNode> of(StoreFixture fixture, Path directory) {
    Map<String, Gap> gaps = new LinkedHashMap<>();
    fixture.gaps().forEach(gap -> gaps.put(gap.test(), gap));
    Tally tally = new Tally(fixture.name());
    List<DynamicNode> nodes = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    SUBJECTS.forEach((subject, tests) -> {
      List<DynamicTest> dynamic = new ArrayList<>();
      for (ContractTest test : tests) {
        assertThat(names.add(test.name())).as("test names are unique: " + test.name()).isTrue();
        Path own = directory.resolve("store-" + names.size());
        dynamic.add(
            DynamicTest.dynamicTest(
                test.name(),
                () -> {
                  Gap gap = gaps.get(test.name());
                  run(fixture, own, test, gap);
                  tally.passed(gap != null);
                }));
      }
      nodes.add(DynamicContainer.dynamicContainer(subject, dynamic));
    });
    nodes.add(
        DynamicTest.dynamicTest(
            "every declared gap names a test", () -> assertThat(names).containsAll(gaps.keySet())));
    return nodes;
  }

  private static void run(
      StoreFixture fixture, Path directory, ContractTest test, @Nullable Gap gap) {
    ThrowingCallable body =
        () -> {
          try (Lab lab = new Lab(fixture, directory, test.partitioning())) {
            test.body().run(lab);
          }
        };
    if (gap == null) {
      assertThatCode(body).as("%s: %s", fixture.name(), test.name()).doesNotThrowAnyException();
      return;
    }
    Throwable failure = catchThrowable(body);
    if (failure == null) {
      fail(
          "%s now keeps the promise '%s': remove its gap (%s)",
          fixture.name(), test.name(), gap.reason());
    }
    assertThat(failure)
        .as("the declared gap of %s", fixture.name())
        .hasMessageContaining(gap.wrongResult());
  }
}
