package dev.varve.store.rocksdb;

import dev.varve.store.DamagedStoreException;
import dev.varve.store.PrivateDirectory;
import dev.varve.store.rocksdb.wal.LogFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the files of a store with those that a repair has made. If the process is killed during
 * the swap, it leaves a marker: no store opens until the next repair completes the swap.
 */
final class RepairSwap {
  /*
   * varve-repair   one line: the step, "out" or "in", and the folder for the old files
   * repair-draft   the new files, until they are moved; a folder of that name without a marker was
   *                left by a repair that did not get this far, and is created again
   *
   * Step out: all files of the store are moved to the folder. Step in: all files of the draft are
   * moved to the store. Each step can be repeated.
   */
  private static final String MARKER = "varve-repair";
  private static final String DRAFT = "repair-draft";
  private static final Pattern LINE = Pattern.compile("(out|in) (damaged-[0-9-]+)\n");

  /** Files that belong to the directory rather than the database. */
  private static final Set<String> STAYS = Set.of("LOCK", MARKER, MARKER + ".new");

  private final Path directory;

  RepairSwap(Path directory) {
    this.directory = directory;
  }

  /**
   * Ensures that no swap is unfinished.
   *
   * @throws DamagedStoreException if one is
   */
  static void ensureNone(Path directory) {
    Path marker = directory.resolve(MARKER);
    if (Files.exists(marker)) {
      throw new DamagedStoreException(
          "%s exists: a repair of the store was interrupted. Run 'varve check --repair' again to complete it"
              .formatted(marker),
          List.of(),
          null);
    }
  }

  Path draft() {
    return directory.resolve(DRAFT);
  }

  /** Removes the draft of a repair that was killed before the swap. */
  void clearDraft() throws IOException {
    if (Files.isDirectory(draft())) {
      try (Stream<Path> files = Files.list(draft())) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(draft());
    }
  }

  /**
   * Replaces the files of the store with the draft.
   *
   * @param aside the name of the folder that receives the old files
   */
  void run(String aside) throws IOException {
    mark("out " + aside);
    finish();
  }

  /**
   * Completes an unfinished swap.
   *
   * @return the folder that holds the old files; null if there was no unfinished swap
   */
  @Nullable Path finish() throws IOException {
    String line;
    try {
      line = Files.readString(directory.resolve(MARKER), StandardCharsets.US_ASCII);
    } catch (NoSuchFileException e) {
      return null;
    }
    Matcher matcher = LINE.matcher(line);
    if (!matcher.matches()) {
      throw new IOException("%s is damaged".formatted(directory.resolve(MARKER)));
    }
    Path aside = directory.resolve(matcher.group(2));
    PrivateDirectory.make(aside);
    if (matcher.group(1).equals("out")) {
      moveAll(directory, aside);
      mark("in " + matcher.group(2));
    }
    if (Files.isDirectory(draft())) {
      moveAll(draft(), directory);
      clearDraft();
    }
    Files.delete(directory.resolve(MARKER));
    LogFiles.sync(directory);
    return aside;
  }

  private static void moveAll(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        if (!Files.isDirectory(file) && !STAYS.contains(String.valueOf(file.getFileName()))) {
          Files.move(file, to.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
        }
      }
    }
    LogFiles.sync(to);
    LogFiles.sync(from);
  }

  private void mark(String step) throws IOException {
    Path next = directory.resolve(MARKER + ".new");
    try (FileChannel channel =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      channel.write(StandardCharsets.US_ASCII.encode(step + "\n"));
      channel.force(true);
    }
    Files.move(next, directory.resolve(MARKER), StandardCopyOption.ATOMIC_MOVE);
    LogFiles.sync(directory);
  }
}
