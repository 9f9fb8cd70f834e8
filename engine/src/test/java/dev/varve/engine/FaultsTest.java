package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.registry.Layouts;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * On a store that is slow, throttles, returns partial answers, and loses answers and connections, a
 * dataset acknowledges only samples that are stored, returns the later of two samples of an
 * instant, and leaves nothing behind.
 *
 * <p>{@code -Dvarve.faults.operations=100000} runs that many operations per layout, in stories of
 * 1,000 operations with a dataset each and a final one of 10,000. {@code -Dvarve.faults.seed=N}
 * selects other stories.
 */
@Execution(ExecutionMode.CONCURRENT)
class FaultsTest {
  private static final int OPERATIONS = Integer.getInteger("varve.faults.operations", 200);
  private static final long SEED = Long.getLong("varve.faults.seed", 3);

  /** A long story reveals what accumulates in a dataset. */
  private static final int LONG = 10_000;

  private static final int SHORT = 1_000;

  @TempDir Path directory;

  static Stream<Arguments> stories() {
    List<Arguments> stories = new ArrayList<>();
    int length;
    for (int left = OPERATIONS, seed = 0; left > 0; left -= length, seed++) {
      length = left <= LONG ? left : Math.min(SHORT, left - LONG);
      for (Layouts.Entry layout : Layouts.list()) {
        stories.add(Arguments.of(layout.name(), SEED + seed, length));
      }
    }
    return stories.stream();
  }

  @ParameterizedTest(name = "{0}, seed {1}: {2} operations")
  @MethodSource("stories")
  void acknowledgesNothingThatIsNotThereAndLeavesNothingBehind(
      String layout, long seed, int operations) {
    String name = "faults-" + layout + "-" + seed;
    try (FaultStory story =
        new FaultStory(layout, name, seed, new MemoryStore(), directory, PassingTime.inLeaps())) {
      story.run(operations);
      story.end();
      assertThat(story.cells(".clock")).as("marks of this server").isEqualTo(1);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed %d, layout %s: %s".formatted(seed, layout, e.getMessage()), e);
    }
  }
}
