package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.cli.io.CommandFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {
  @TempDir private Path folder;

  @Test
  void keepsASecondServerOutUntilTheFirstEnds() throws IOException {
    Path data = folder.resolve("of/metrics");
    try (DirectoryLock first = DirectoryLock.take(data)) {
      assertThat(first).isNotNull();
      assertThatThrownBy(() -> DirectoryLock.take(data))
          .isInstanceOf(CommandFailedException.class)
          .hasMessageContaining("of/metrics is in use by the server")
          .hasMessageContaining("--data");
    }
    DirectoryLock.take(data).close();
  }

  @Test
  void saysWhatStandsInTheWay() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> DirectoryLock.take(file))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("cannot be used: " + file + " is no directory");
    assertThatThrownBy(() -> DirectoryLock.take(file.resolve("below")))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("cannot be used: ");
  }
}
