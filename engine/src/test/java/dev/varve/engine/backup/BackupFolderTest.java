package dev.varve.engine.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories of backups, with files that stand for those of a store. */
class BackupFolderTest {
  @TempDir private Path folder;
  private Path source;
  private Path backups;

  @BeforeEach
  void makeSource() throws IOException {
    source = folder.resolve("source");
    backups = folder.resolve("backups");
    Files.createDirectories(source.resolve("rocksdb"));
    Files.writeString(source.resolve("server-id"), "7");
    Files.writeString(source.resolve("rocksdb/000001.sst"), "one".repeat(1000));
    Files.writeString(source.resolve("rocksdb/MANIFEST-000002"), "manifest");
  }

  @Test
  void comeBackAsTheyWere() throws IOException {
    Backup backup = make();
    Path target = folder.resolve("target");
    restore(backup, target);
    assertThat(contents(target)).isEqualTo(contents(source));
    assertThat(folder.resolve("target.restoring")).doesNotExist();
  }

  @Test
  void storeOnlyWhatIsNew() throws IOException {
    try (BackupFolder to = BackupFolder.forWriting(backups)) {
      BackupRun first = to.start();
      first.store(source, "", BackupProgress.NONE);
      first.finish(() -> {});
      assertThat(first.copied()).isEqualTo(3000 + 8 + 1);
      Files.writeString(source.resolve("rocksdb/000003.sst"), "three");
      Files.writeString(source.resolve("rocksdb/MANIFEST-000002"), "manifest and more");
      BackupRun second = to.start();
      second.store(source, "", BackupProgress.NONE);
      Backup backup = second.finish(() -> {});
      assertThat(second.copied()).isEqualTo(5 + 17);
      assertThat(to.verify(backup, BackupProgress.NONE)).isEmpty();
    }
  }

  @Test
  void keepTheLatestAndNothingThatOnlyOthersHave() throws IOException {
    Backup first = make();
    Files.delete(source.resolve("rocksdb/000001.sst"));
    Files.writeString(source.resolve("rocksdb/000004.sst"), "four");
    Backup second = make();
    assertThat(second.id()).isGreaterThan(first.id());
    Path old = only(first, "rocksdb/000001.sst");
    assertThat(old).exists();
    try (BackupFolder to = BackupFolder.forWriting(backups)) {
      assertThat(to.purge(1)).containsExactly(first.id());
      assertThat(to.list()).containsExactly(second);
      assertThat(to.verify(second, BackupProgress.NONE)).isEmpty();
    }
    assertThat(old).doesNotExist();
  }

  @Test
  void areNotMadeInsideOthers() throws IOException {
    make();
    for (String inside : List.of("inner", "files/zz", "backups/inner", "files/zz/deep")) {
      Path inner = backups.resolve(inside);
      assertThatThrownBy(() -> BackupFolder.forWriting(inner))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("lies in " + backups.toAbsolutePath());
      assertThat(inner).doesNotExist();
    }
  }

  @Test
  void leaveFilesOfOthersAlone() throws IOException {
    Backup first = make();
    String checksum = first.files().getFirst().checksum();
    Path foreign = Files.createDirectories(backups.resolve("files/zz/files/ab"));
    Files.writeString(foreign.resolve("ab" + "0".repeat(62)), "another backup");
    Path note = backups.resolve("files/" + checksum.substring(0, 2) + "/note");
    Files.writeString(note, "by hand");
    Files.writeString(source.resolve("rocksdb/000001.sst"), "two");
    make();
    try (BackupFolder to = BackupFolder.forWriting(backups)) {
      to.purge(1);
    }
    assertThat(foreign.resolve("ab" + "0".repeat(62))).hasContent("another backup");
    assertThat(note).hasContent("by hand");
  }

  @Test
  void areOnlyWrittenIntoRealDirectories() throws IOException {
    Path outside = Files.createDirectories(folder.resolve("outside"));
    for (String link : List.of("files", "backups")) {
      Path to = folder.resolve("linked-" + link);
      BackupFolder.forWriting(to).close();
      Files.delete(to.resolve(link));
      Files.createSymbolicLink(to.resolve(link), outside);
      assertThatThrownBy(() -> BackupFolder.forWriting(to))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("is a symbolic link");
    }
    Backup backup = make();
    for (BackupFile file : backup.files()) {
      Path digits = backups.resolve("files/" + file.checksum().substring(0, 2));
      Files.delete(digits.resolve(file.checksum()));
      Files.delete(digits);
      Files.createSymbolicLink(digits, outside);
    }
    assertThatThrownBy(this::make).hasMessageContaining("is a symbolic link");
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void doNotFollowALinkThatLeadsNowhere() throws IOException {
    Path base = Files.createDirectories(folder.resolve("base"));
    Files.createSymbolicLink(base.resolve("dangling"), folder.resolve("nowhere"));
    for (String name : List.of("dangling", "dangling/x", "../base-2", "/tmp")) {
      assertThatThrownBy(() -> BackupJob.below(base, name))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("'" + name + "' is not below 'backup.directory'");
    }
  }

  @Test
  void goOnAfterAKill() throws IOException {
    try (BackupFolder to = BackupFolder.forWriting(backups)) {
      BackupRun killed = to.start();
      killed.noteSnapshot("20260101000000-0000000000000000");
      killed.store(source.resolve("rocksdb/000001.sst"), "rocksdb/000001.sst");
    }
    Files.writeString(
        backups.resolve("unfinished"), Files.readString(backups.resolve("unfinished")) + "file 12");
    try (BackupFolder to = BackupFolder.forWriting(backups)) {
      assertThat(to.list()).isEmpty();
      assertThatThrownBy(() -> to.find(null)).hasMessageContaining("holds no complete backup");
      BackupRun next = to.start();
      assertThat(next.leftSnapshot()).isEqualTo("20260101000000-0000000000000000");
      next.store(source, "", BackupProgress.NONE);
      Backup backup = next.finish(() -> {});
      assertThat(next.copied()).isEqualTo(8 + 1);
      assertThat(to.verify(backup, BackupProgress.NONE)).isEmpty();
      assertThat(backups.resolve("unfinished")).doesNotExist();
    }
  }

  @Test
  void nameDamageAndRestoreNothingOfIt() throws IOException {
    Backup backup = make();
    Path content = only(backup, "rocksdb/000001.sst");
    try (RandomAccessFile file = new RandomAccessFile(content.toFile(), "rw")) {
      file.seek(1500);
      file.write('x');
    }
    try (BackupFolder from = BackupFolder.forReading(backups)) {
      assertThat(from.verify(backup, BackupProgress.NONE))
          .singleElement()
          .asString()
          .startsWith("rocksdb/000001.sst: the checksum of its content ")
          .endsWith(" does not match");
    }
    Path target = folder.resolve("target");
    assertThatThrownBy(() -> restore(backup, target))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("file rocksdb/000001.sst of backup " + backup.id() + " is damaged");
    assertThat(target).doesNotExist();
    Files.delete(content);
    assertThatThrownBy(() -> restore(backup, target)).hasMessageContaining("is missing");
  }

  @Test
  void replaceDamagedContentAndPassOverADamagedManifest() throws IOException {
    Backup backup = make();
    Files.writeString(only(backup, "rocksdb/MANIFEST-000002"), "damaged!");
    Files.delete(only(backup, "rocksdb/000001.sst"));
    Path manifest = backups.resolve("backups").resolve(backup.id());
    Files.writeString(manifest, Files.readString(manifest).replace("000001", "000007"));
    Backup next = make();
    assertThat(next.id()).isGreaterThan(backup.id());
    try (BackupFolder from = BackupFolder.forReading(backups)) {
      assertThat(from.verify(next, BackupProgress.NONE)).isEmpty();
    }
  }

  @Test
  void refuseADamagedManifest() throws IOException {
    Backup backup = make();
    Path manifest = backups.resolve("backups").resolve(backup.id());
    Files.writeString(manifest, Files.readString(manifest).replace("000001", "000007"));
    try (BackupFolder from = BackupFolder.forReading(backups)) {
      assertThatThrownBy(from::list).hasMessageContaining("its checksum does not match");
    }
  }

  /** Earlier builds noted when a backup ended: a delete may have come after its snapshot. */
  @Test
  void ofEarlierBuildsAreReadAndOfUnknownAge() throws IOException {
    Backup backup = make();
    Path manifest = backups.resolve("backups").resolve(backup.id());
    String text = Files.readString(manifest).replaceFirst("varve-backup 2", "varve-backup 1");
    String body = text.substring(0, text.indexOf("sha256 "));
    assertThat(BackupSearch.below(backups).getFirst().made()).isEqualTo(backup.created());
    Files.writeString(manifest, body + "sha256 " + Copy.checksum(body) + "\n");
    assertThat(BackupSearch.below(backups))
        .containsExactly(new BackupSearch.Found(backup.id(), null, true, null));
    try (BackupFolder from = BackupFolder.forReading(backups)) {
      assertThat(from.list()).containsExactly(backup);
      assertThat(from.verify(backup, BackupProgress.NONE)).isEmpty();
    }
  }

  @Test
  void refuseALaterFormatByName() throws IOException {
    Backup backup = make();
    Path manifest = backups.resolve("backups").resolve(backup.id());
    Files.writeString(
        manifest, Files.readString(manifest).replaceFirst("varve-backup 2", "varve-backup 3"));
    try (BackupFolder from = BackupFolder.forReading(backups)) {
      assertThatThrownBy(from::list)
          .isInstanceOf(BackupException.class)
          .hasMessage(
              "%s has format 'varve-backup 3', but this version reads 'varve-backup 1' and 'varve-backup 2': use a later version",
              manifest);
    }
  }

  @Test
  void overwriteNothing() throws IOException {
    Backup backup = make();
    Path target = Files.createDirectory(folder.resolve("target"));
    Path there = Files.writeString(target.resolve("precious"), "x");
    assertThatThrownBy(() -> restore(backup, target))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("is there and not empty");
    assertThat(there).hasContent("x");
    Files.delete(there);
    restore(backup, target);
    assertThat(contents(target)).isEqualTo(contents(source));
    assertThatThrownBy(() -> BackupFolder.forWriting(source))
        .hasMessageContaining("is not empty and holds no backups");
    assertThatThrownBy(() -> BackupFolder.forReading(source))
        .hasMessageContaining("there are no backups in");
  }

  @Test
  void restoreAnewAfterAKill() throws IOException {
    Backup backup = make();
    Path draft = folder.resolve("target.restoring");
    Files.createDirectories(draft.resolve("rocksdb"));
    Files.writeString(draft.resolve("rocksdb/000009.sst"), "rest");
    assertThatThrownBy(() -> restore(backup, folder.resolve("target")))
        .hasMessageContaining("no restore has made it");
    Files.writeString(draft.resolve("varve-restoring"), "");
    restore(backup, folder.resolve("target"));
    assertThat(contents(folder.resolve("target"))).isEqualTo(contents(source));
  }

  @Test
  void haveOneWriter() throws IOException {
    make();
    try (BackupFolder to = BackupFolder.forWriting(backups)) {
      assertThat(to.list()).hasSize(1);
      assertThatThrownBy(() -> BackupFolder.forWriting(backups)).hasMessageContaining("is in use");
    }
  }

  private Backup make() throws IOException {
    try (BackupFolder to = BackupFolder.forWriting(backups)) {
      BackupRun run = to.start();
      run.store(source, "", BackupProgress.NONE);
      return run.finish(() -> {});
    }
  }

  private void restore(Backup backup, Path target) throws IOException {
    try (BackupFolder from = BackupFolder.forReading(backups)) {
      new Restore(from, backup, target).run(BackupProgress.NONE);
    }
  }

  private Path only(Backup backup, String path) throws IOException {
    String checksum =
        backup.files().stream()
            .filter(file -> file.path().equals(path))
            .findFirst()
            .orElseThrow()
            .checksum();
    try (Stream<Path> files = Files.walk(backups)) {
      return files.filter(file -> file.endsWith(checksum)).findFirst().orElseThrow();
    }
  }

  private static List<String> contents(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .sorted()
          .map(file -> {
            try {
              return directory.relativize(file)
                  + "="
                  + Files.readString(file)
                  + Files.getLastModifiedTime(file);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          })
          .toList();
    }
  }
}
