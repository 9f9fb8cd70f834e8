package dev.varve.engine.backup;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The list of files of a backup as text. */
final class Manifest {
  /*
   * varve-backup 2
   * created TIME                          when the backup was begun; before version 2, when it ended
   * file SHA-256 BYTES MODIFIED PATH      one line per file
   * sha256 SHA-256                        of all lines before
   */
  private static final String TITLE = "varve-backup 2";

  /** The title of lists that tell when the backup ended. Its snapshot was made earlier. */
  private static final String TITLE_OF_ENDS = "varve-backup 1";

  private static final String CREATED = "created ";
  private static final String CHECKSUM = "sha256 ";
  private static final Pattern FILE =
      Pattern.compile("file ([0-9a-f]{64}) (\\d{1,18}) (-?\\d{1,19}) (.+)");

  private Manifest() {}

  static String text(Backup backup) {
    StringBuilder text = new StringBuilder(TITLE).append('\n');
    text.append(CREATED).append(backup.created()).append('\n');
    backup.files().forEach(file -> text.append(line(file)));
    return text + CHECKSUM + Copy.checksum(text.toString()) + "\n";
  }

  static String line(BackupFile file) {
    if (file.path().contains("\n")) {
      throw new BackupException(
          "file '%s' has a line break in its name: rename it".formatted(file.path()));
    }
    return "file %s %d %d %s\n"
        .formatted(file.checksum(), file.bytes(), file.modified(), file.path());
  }

  /** Adds a file to {@code into} if a line is that of a file; returns whether it is. */
  static boolean parse(String line, List<BackupFile> into) {
    Matcher file = FILE.matcher(line);
    if (!file.matches()) {
      return false;
    }
    Path path = Path.of(file.group(4));
    if (path.isAbsolute() || path.normalize().startsWith("..")) {
      return false;
    }
    into.add(
        new BackupFile(
            file.group(4),
            Long.parseLong(file.group(2)),
            file.group(1),
            Long.parseLong(file.group(3))));
    return true;
  }

  /** Reads from a manifest when its backup was begun; null if it does not say so. */
  static @Nullable Instant created(Path file) throws IOException {
    // Latin, since a name of a file may be damaged.
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      String title = lines.readLine();
      String line = lines.readLine();
      return !TITLE.equals(title) || line == null || !line.startsWith(CREATED)
          ? null
          : Instant.parse(line.substring(CREATED.length()));
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  /**
   * Reads the manifest of a backup.
   *
   * @throws BackupException if it is damaged or of another version
   */
  static Backup read(Path file, String id) throws IOException {
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    int end = text.lastIndexOf(CHECKSUM);
    String body = end < 0 ? "" : text.substring(0, end);
    List<String> lines = body.lines().toList();
    if (lines.size() < 2 || !lines.getFirst().startsWith("varve-backup ")) {
      throw damaged(file, "it is no list of files");
    }
    if (!lines.getFirst().equals(TITLE) && !lines.getFirst().equals(TITLE_OF_ENDS)) {
      throw new BackupException(
          "%s has format '%s', but this version reads '%s' and '%s': use a later version"
              .formatted(file, lines.getFirst(), TITLE_OF_ENDS, TITLE));
    }
    if (!text.substring(end).equals(CHECKSUM + Copy.checksum(body) + "\n")) {
      throw damaged(file, "its checksum does not match");
    }
    List<BackupFile> files = new ArrayList<>();
    for (String line : lines.subList(2, lines.size())) {
      if (!parse(line, files)) {
        throw damaged(file, "it has the line '" + line + "'");
      }
    }
    try {
      return new Backup(id, Instant.parse(lines.get(1).substring(CREATED.length())), files);
    } catch (DateTimeParseException | StringIndexOutOfBoundsException e) {
      throw damaged(file, "it has no time");
    }
  }

  private static BackupException damaged(Path file, String why) {
    return new BackupException(
        "the manifest %s is damaged: %s; restore another backup".formatted(file, why));
  }
}
