package dev.varve.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ThreadPriorityTest {
  /** Field 19 of {@code proc_pid_stat(5)}; the second one is a name in parentheses. */
  private static int nice() throws Exception {
    String stat = Files.readString(Path.of("/proc/thread-self/stat"));
    String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return Integer.parseInt(afterName[19 - 3]);
  }

  private static <T> T onThread(Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().start(task);
    return task.get();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void changesTheNiceValueOfTheCallingThreadAlone() throws Exception {
    int before = nice();
    int query =
        onThread(() -> {
          ThreadPriority.QUERY.enter();
          return nice();
        });
    int heavy =
        onThread(() -> {
          ThreadPriority.HEAVY.enter();
          return nice();
        });
    assertThat(query).isGreaterThan(before);
    assertThat(heavy).isGreaterThan(query);
    assertThat(nice()).isEqualTo(before);
  }

  @Test
  void workOfferedByHeavyThreadsIsHeavy() throws Exception {
    CompletableFuture<Boolean> ofHeavy = new CompletableFuture<>();
    CompletableFuture<Boolean> ofOther = new CompletableFuture<>();
    onThread(() -> {
      ThreadPriority.HEAVY.enter();
      Workers.offer(() -> ofHeavy.complete(ThreadPriority.isHeavy()));
      return null;
    });
    Workers.offer(() -> ofOther.complete(ThreadPriority.isHeavy()));
    assertThat(ofHeavy.get()).isTrue();
    assertThat(ofOther.get()).isFalse();
  }
}
