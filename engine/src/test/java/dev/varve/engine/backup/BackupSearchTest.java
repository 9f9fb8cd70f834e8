package dev.varve.engine.backup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupSearchTest {
  @TempDir private Path directory;

  private void backUp(String name) throws IOException {
    Path source = Files.createDirectories(directory.resolve("source"));
    Files.writeString(source.resolve("file"), "content");
    Path to = Files.createDirectories(directory.resolve("backups")).resolve(name);
    try (BackupFolder folder = BackupFolder.forWriting(to)) {
      BackupRun run = folder.start();
      run.store(source, "", (files, bytes, of) -> {});
      run.finish(() -> {});
    }
  }

  private void loop(Path link) throws IOException {
    Files.createSymbolicLink(link, link.getFileName());
  }

  @Test
  void findsTheOthersIfOneCannotBeRead() throws IOException {
    backUp("a");
    backUp("c");
    Path broken = Files.createDirectory(directory.resolve("backups/b"));
    Files.writeString(broken.resolve("varve-backups"), "varve-backups 1\n");
    loop(broken.resolve("backups"));
    var found = BackupSearch.below(directory.resolve("backups"));
    assertThat(found).hasSize(3);
    assertThat(found)
        .filteredOn(one -> one.problem() == null)
        .allMatch(one -> one.ended() && one.made() != null)
        .extracting(one -> one.name().substring(0, 2))
        .containsExactlyInAnyOrder("a/", "c/");
    assertThat(found)
        .filteredOn(one -> one.problem() != null)
        .singleElement()
        .matches(one -> one.name().equals("b/backups") && !one.ended());
  }

  @Test
  void saysSoIfTheDirectoryItselfCannotBeRead() throws IOException {
    loop(directory.resolve("loop"));
    assertThat(BackupSearch.below(directory.resolve("loop")))
        .singleElement()
        .matches(one -> one.name().equals(".") && one.problem() != null);
    assertThat(BackupSearch.below(directory.resolve("missing"))).isEmpty();
  }

  /** Whoever runs the tests may read every folder, so the walk's events come from here. */
  @Test
  void goesOnBesideFoldersOfOtherUsersAndVanishedOnes() {
    BackupSearch search = new BackupSearch(directory);
    Path folder = directory.resolve("lost+found");
    assertThat(search.visitFileFailed(folder, new AccessDeniedException("lost+found")))
        .isEqualTo(FileVisitResult.CONTINUE);
    assertThat(search.visitFileFailed(folder, new NoSuchFileException("purged")))
        .isEqualTo(FileVisitResult.CONTINUE);
    assertThat(search.postVisitDirectory(directory, new IOException("torn")))
        .isEqualTo(FileVisitResult.CONTINUE);
    assertThat(search.postVisitDirectory(directory, null)).isEqualTo(FileVisitResult.CONTINUE);
    assertThat(search.found()).extracting(one -> one.name()).containsExactly("lost+found", ".");
  }
}
