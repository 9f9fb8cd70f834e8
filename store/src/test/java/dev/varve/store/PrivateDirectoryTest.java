package dev.varve.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateDirectoryTest {
  @TempDir private Path folder;

  @Test
  void isMadeForItsOwnerAlone() throws IOException {
    Path made = folder.resolve("a/b/data");
    PrivateDirectory.make(made);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .isEqualTo("rwx------");
    assertThat(PrivateDirectory.isOpenToOthers(made)).isFalse();
  }

  @Test
  void leavesOneThatIsThereAsItIs() throws IOException {
    Path there = Files.createDirectory(folder.resolve("there"));
    Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rwxr-x---"));
    PrivateDirectory.make(there);
    assertThat(PrivateDirectory.isOpenToOthers(there)).isTrue();
  }

  @Test
  void isNoFile() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> PrivateDirectory.make(file))
        .isInstanceOf(FileAlreadyExistsException.class);
  }
}
