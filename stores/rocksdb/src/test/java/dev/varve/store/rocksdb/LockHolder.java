package dev.varve.store.rocksdb;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process that locks a file until it is ended, and reports that it holds the lock. */
final class LockHolder {
  private LockHolder() {}

  static void main(String[] arguments) throws IOException, InterruptedException {
    try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      System.out.print(lock.isValid() ? 'L' : '-');
      System.out.flush();
      Thread.sleep(60_000);
    }
  }
}
