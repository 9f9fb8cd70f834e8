package dev.varve.engine.home;

import dev.varve.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Which of several servers on one store this is: 64 random bits that lie in its own directory, as
 * 16 hexadecimal digits in file {@code server-id}, and never change.
 */
public record ServerId(long id) {
  private static final String FILE = "server-id";

  /**
   * The id of the server of a directory, a new one where it has none.
   *
   * @throws StoreException if it can be neither read nor written
   */
  public static ServerId in(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      if (!Files.exists(file)) {
        Files.createDirectories(directory);
        String text = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
        Files.writeString(
            file, text + "\n", StandardOpenOption.CREATE_NEW, StandardOpenOption.SYNC);
      }
      String text = Files.readString(file, StandardCharsets.UTF_8).strip();
      return new ServerId(Long.parseUnsignedLong(text, 16));
    } catch (IOException e) {
      throw new StoreException("the server's id cannot be kept in '" + file + "': " + e, e);
    } catch (NumberFormatException e) {
      throw new StoreException(
          "file '"
              + file
              + "' holds no server id of 16 hexadecimal digits; remove it for a new one",
          e);
    }
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(id);
  }
}
