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
 * Puts the files that a repair has made in the place of the old ones. A process that is killed amid
 * that leaves a marker, at which no store opens and the next repair goes on.
 */
final class RepairSwap {
  /*
   * varve-repair   one line: the step, "out" or "in", and the folder that the old files go to
   * repair-draft   the new files, until they are moved; a folder of that name without a marker is
   *                of a repair that had not come so far, and is made anew
   *
   * Step out: all files of the store are moved to the folder. Step in: all of the draft are moved
   * to the store. Each may be done twice.
   */
  private static final String MARKER = "varve-repair";
  private static final String DRAFT = "repair-draft";
  private static final Pattern LINE = Pattern.compile("(out|in) (damaged-[0-9-]+)\n");

  /** What belongs to the directory, not to the database. */
  private static final Set<String> STAYS = Set.of("LOCK", MARKER, MARKER + ".new");

  private final Path directory;

  RepairSwap(Path directory) {
    this.directory = directory;
  }

  /**
   * Sees to it that no repair is amid its last steps.
   *
   * @throws DamagedStoreException if one is
   */
  static void ensureNone(Path directory) {
    Path marker = directory.resolve(MARKER);
    if (Files.exists(marker)) {
      throw new DamagedStoreException(
          "%s is there: a repair of the store was interrupted. Run 'varve check --repair' again, which ends it"
              .formatted(marker),
          List.of(),
          null);
    }
  }

  Path draft() {
    return directory.resolve(DRAFT);
  }

  /** Removes what a repair that was killed has made and not put into place. */
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
   * Puts the draft into place.
   *
   * @param aside the name of the folder that gets the old files
   */
  void run(String aside) throws IOException {
    mark("out " + aside);
    finish();
  }

  /**
   * Ends a swap that was begun.
   *
   * @return the folder that holds the old files; null where no swap was begun
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
