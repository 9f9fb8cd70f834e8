package dev.varve.cli;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.store.PrivateDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reserves a data directory for one server. Two servers with one directory would share an id and
 * miss each other's changes. The lock of an embedded store does not suffice, because the samples of
 * a dataset may be stored elsewhere. The operating system releases the lock when the process ends
 * for any reason.
 */
final class DirectoryLock implements AutoCloseable {
  private static final String NAME = "server.lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Creates the directory if necessary and acquires the lock.
   *
   * @throws CommandFailedException if another server holds it, or the directory cannot be created
   *     or written
   */
  static DirectoryLock take(Path data) {
    try {
      PrivateDirectory.make(data);
      FileChannel channel =
          FileChannel.open(data.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (isTaken(channel)) {
        channel.truncate(0);
        String pid = ProcessHandle.current().pid() + "\n";
        channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)));
        return new DirectoryLock(channel);
      }
      channel.close();
    } catch (IOException e) {
      throw new CommandFailedException(
          "the data directory %s cannot be used: %s; name another with --data or 'data:'"
              .formatted(data.toAbsolutePath(), reason(e)));
    }
    throw new CommandFailedException(
        "the data directory %s is in use by the server%s: stop that one, or name another directory with --data"
            .formatted(data.toAbsolutePath(), holder(data)));
  }

  private static boolean isTaken(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      // Another server in this process holds the lock.
      return false;
    }
  }

  /** Returns the process that holds the lock, in words; empty if its lock cannot be read. */
  private static String holder(Path data) {
    try {
      String pid = Files.readString(data.resolve(NAME)).strip();
      return pid.isEmpty() ? "" : " of process " + pid;
    } catch (IOException e) {
      return "";
    }
  }

  private static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException denied -> "permission denied at " + denied.getFile();
      case FileAlreadyExistsException file -> file.getFile() + " is no directory";
      default -> String.valueOf(e.getMessage());
    };
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
