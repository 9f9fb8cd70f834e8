package dev.varve.store.rocksdb.wal;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes records into a new log file; closing it makes them durable. */
final class LogWriter implements AutoCloseable {
  private static final byte[] ZEROS = new byte[LogForm.HEADER];

  private final FileChannel channel;
  private final OutputStream out;
  private int at;

  LogWriter(Path file) throws IOException {
    this.channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    this.out = new BufferedOutputStream(Channels.newOutputStream(channel), LogForm.BLOCK);
  }

  void add(byte[] payload) throws IOException {
    int from = 0;
    do {
      if (LogForm.BLOCK - at < LogForm.HEADER) {
        out.write(ZEROS, 0, LogForm.BLOCK - at);
        at = 0;
      }
      int length = Math.min(payload.length - from, LogForm.BLOCK - at - LogForm.HEADER);
      boolean first = from == 0;
      boolean last = from + length == payload.length;
      int type = first ? last ? LogForm.FULL : LogForm.FIRST : last ? LogForm.LAST : LogForm.MIDDLE;
      byte[] fragment = new byte[LogForm.HEADER + length];
      fragment[6] = (byte) type;
      System.arraycopy(payload, from, fragment, LogForm.HEADER, length);
      LogForm.SHORT_LE.set(fragment, 4, (short) length);
      LogForm.INT_LE.set(fragment, 0, LogForm.checksum(fragment, 6, length + 1));
      out.write(fragment);
      at += fragment.length;
      from += length;
    } while (from < payload.length);
  }

  @Override
  public void close() throws IOException {
    try (channel) {
      out.flush();
      channel.force(true);
    }
  }
}
