package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Layouts;
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
 * On a store that is slow, throttles, answers in part, loses answers and connections, a dataset
 * acknowledges nothing that is not there, of two samples of an instant gives the later, and leaves
 * nothing behind.
 *
 * <p>{@code -Dvarve.faults.operations=100000} makes it long: so many in a layout, in stories that
 * have a dataset each, of 1,000 operations, and one of 10,000 at the end. {@code
 * -Dvarve.faults.seed=N} makes them others.
 */
@Execution(ExecutionMode.CONCURRENT)
class FaultsTest {
  private static final int OPERATIONS = Integer.getInteger("varve.faults.operations", 200);
  private static final long SEED = Long.getLong("varve.faults.seed", 3);

  /** What gathers in a dataset shows in a long story. */
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
