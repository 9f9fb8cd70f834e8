package dev.varve.engine.home;

import dev.varve.store.PrivateDirectory;
import dev.varve.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;

/**
 * The permanent ID of a server, in file {@code server-id} of its data directory. The file is
 * locked. A second process on the same directory, such as an import alongside a server, acts as
 * another server and uses a temporary ID.
 */
public final class ServerIdFile implements AutoCloseable {
  /** The name of the file in the data directory. */
  public static final String NAME = "server-id";

  private final FileChannel file;
  private final ServerId id;

  /**
   * Reads the file of a directory; creates it if it is missing.
   *
   * @throws StoreException if the file cannot be read or created
   */
  public ServerIdFile(Path directory) {
    Path path = directory.resolve(NAME);
    try {
      PrivateDirectory.make(directory);
      this.file =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new StoreException("cannot read or write the server id in '" + path + "': " + e, e);
    }
    try {
      this.id = isLocked() ? readOrWrite(path) : random();
    } catch (IOException e) {
      close();
      throw new StoreException("cannot read or write the server id in '" + path + "': " + e, e);
    } catch (StoreException e) {
      close();
      throw e;
    }
  }

  public ServerId id() {
    return id;
  }

  /** Tries to lock the file until it is closed; returns whether that succeeded. */
  private boolean isLocked() throws IOException {
    try {
      return file.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private ServerId readOrWrite(Path path) throws IOException {
    String text = Files.readString(path, StandardCharsets.UTF_8).strip();
    if (text.isEmpty()) {
      ServerId made = random();
      file.write(ByteBuffer.wrap((made + "\n").getBytes(StandardCharsets.UTF_8)), 0);
      file.force(true);
      return made;
    }
    try {
      return new ServerId(Long.parseUnsignedLong(text, 16));
    } catch (NumberFormatException e) {
      throw new StoreException(
          "file '"
              + path
              + "' does not contain a server id of 16 hexadecimal digits; remove it for a new one",
          e);
    }
  }

  private static ServerId random() {
    return new ServerId(new SecureRandom().nextLong());
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new StoreException("cannot close the server id file: " + e, e);
    }
  }
}
