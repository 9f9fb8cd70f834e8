package dev.varve.devstores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
  @TempDir private Path directory;

  @Test
  void isReadyWhenItSaysSoAndGoneWhenStopped() {
    try (ChildProcess child = start("echo one; echo ready; sleep 60")) {
      child.awaitOutput("ready", Duration.ofSeconds(20));
      assertThat(child.output()).isEqualTo("one\nready\n");
      assertThat(child.isAlive()).isTrue();
      child.stop(Duration.ofSeconds(20));
      assertThat(child.isAlive()).isFalse();
    }
  }

  @Test
  void readsOnlyWhatWasWrittenSinceTheStart() {
    try (ChildProcess first = start("echo ready")) {
      first.awaitOutput("ready", Duration.ofSeconds(20));
    }
    assertThatThrownBy(
            () -> {
              try (ChildProcess second = start("echo broken >&2; exit 3")) {
                second.awaitOutput("ready", Duration.ofSeconds(20));
              }
            })
        .isInstanceOf(DevStoreException.class)
        .hasMessageContaining("ended with 3")
        .hasMessageContaining("broken");
  }

  @Test
  void waitsNoLongerThanItsTimeout() {
    try (ChildProcess child = start("sleep 60")) {
      assertThatThrownBy(() -> child.awaitOutput("ready", Duration.ofMillis(100)))
          .isInstanceOf(DevStoreException.class)
          .hasMessageContaining("no 'ready' in its output");
      assertThat(child.isAlive()).isFalse();
    }
  }

  @Test
  void letsAProgramEndInOrderWithThisOneButNotForEver() throws Exception {
    Process polite = trapping("trap 'exit 7' TERM");
    ChildProcess.end(polite, Duration.ofSeconds(20));
    assertThat(polite.waitFor()).isEqualTo(7);
    Process stubborn = trapping("trap '' TERM");
    ChildProcess.end(stubborn, Duration.ofMillis(100));
    assertThat(stubborn.waitFor()).isEqualTo(128 + 9);
  }

  /** Starts a script that waits forever, once it has set its trap. */
  private static Process trapping(String trap) throws Exception {
    Process process =
        new ProcessBuilder("sh", "-c", trap + "; echo ready; while :; do sleep 0.05; done").start();
    assertThat(process.inputReader().readLine()).isEqualTo("ready");
    return process;
  }

  @Test
  void findsTheJavaThatRunsThisByItsVersion() {
    int version = Runtime.version().feature();
    assertThat(JavaHome.java(version)).isExecutable();
    assertThatThrownBy(() -> JavaHome.java(7))
        .hasMessageContaining("apt-get install openjdk-7-jre-headless");
  }

  private ChildProcess start(String script) {
    return ChildProcess.start(
        "script", List.of("sh", "-c", script), directory, Map.of(), directory.resolve("log"));
  }
}
