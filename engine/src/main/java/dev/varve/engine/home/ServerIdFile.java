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
 * The id of a server, which lies in file {@code server-id} of its directory and never changes. The
 * file is locked: a second process on the same directory, such as an import beside a server, is
 * another server to the store, and has an id for as long as it runs.
 */
public final class ServerIdFile implements AutoCloseable {
  private static final String NAME = "server-id";

  private final FileChannel file;
  private final ServerId id;

  /**
   * Reads the file of a directory, and makes it where it is missing.
   *
   * @throws StoreException if that cannot be done
   */
  public ServerIdFile(Path directory) {
    Path path = directory.resolve(NAME);
    try {
      PrivateDirectory.make(directory);
      this.file =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new StoreException("the server's id cannot be kept in '" + path + "': " + e, e);
    }
    try {
      this.id = isLocked() ? readOrWrite(path) : random();
    } catch (IOException e) {
      close();
      throw new StoreException("the server's id cannot be kept in '" + path + "': " + e, e);
    } catch (StoreException e) {
      close();
      throw e;
    }
  }

  public ServerId id() {
    return id;
  }

  /** Whether the lock, which lasts until the file is closed, is ours. */
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
              + "' holds no server id of 16 hexadecimal digits; remove it for a new one",
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
      throw new StoreException("the file of the server's id cannot be closed: " + e, e);
    }
  }
}
