package dev.varve.bench.compare;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The bodies of all requests that write a data set, in one file a stream. They are made before the
 * measurement, so that making them takes no processor time from the servers, and are the same for
 * all servers.
 *
 * @param files by stream: a number of rows, a length, and a body, again and again
 */
record Bodies(DataSet data, Protocol protocol, List<Path> files, long samples) {
  /** Makes the bodies, unless the folder has them already. */
  static Bodies in(Path folder, DataSet data, Protocol protocol) throws Exception {
    String name = "%s-%d-%s".formatted(data.name(), data.series(), protocol.text());
    List<Callable<Long>> made = new ArrayList<>();
    List<Path> files = new ArrayList<>();
    for (int stream = 0; stream < DataSet.STREAMS; stream++) {
      int number = stream;
      Path file = folder.resolve(name + "." + stream);
      files.add(file);
      made.add(() -> Files.exists(file) ? count(file) : write(file, data, protocol, number));
    }
    long rows = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(DataSet.STREAMS)) {
      for (Future<Long> done : threads.invokeAll(made)) {
        rows += done.get();
      }
    }
    return new Bodies(data, protocol, files, rows * data.entities().getFirst().fields().size());
  }

  private static long write(Path file, DataSet data, Protocol protocol, int stream)
      throws IOException {
    BodyFormat format = BodyFormat.of(protocol, data.entities());
    ByteText body = new ByteText();
    int[] rows = new int[1];
    long[] all = new long[1];
    // Half a file would pass for a whole one in the next run.
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(part), 1 << 20))) {
      data.stream(
          stream,
          (entity, time, values) -> {
            format.add(body, entity, time, values);
            all[0]++;
            if (++rows[0] == format.rows()) {
              end(out, format, body, rows);
            }
          });
      end(out, format, body, rows);
    }
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    return all[0];
  }

  private static void end(DataOutputStream out, BodyFormat format, ByteText body, int[] rows) {
    if (rows[0] == 0) {
      return;
    }
    try {
      ByteText sent = format.finish(body);
      out.writeInt(rows[0]);
      out.writeInt(sent.length());
      out.write(sent.bytes(), 0, sent.length());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write bodies: " + e.getMessage(), e);
    }
    body.clear();
    rows[0] = 0;
  }

  private static long count(Path file) throws IOException {
    long rows = 0;
    try (Reading reading = new Reading(file)) {
      for (int more = reading.skip(); more > 0; more = reading.skip()) {
        rows += more;
      }
    }
    return rows;
  }

  Reading read(int stream) throws IOException {
    return new Reading(files.get(stream));
  }

  void delete() throws IOException {
    for (Path file : files) {
      Files.delete(file);
    }
  }

  /** The bodies of a stream, in turn. */
  static final class Reading implements AutoCloseable {
    private final DataInputStream in;
    private byte[] body = new byte[0];
    private int length;

    private Reading(Path file) throws IOException {
      in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 20));
    }

    /**
     * Reads bodies into one until it has a number of rows.
     *
     * @return its rows; fewer at the end, and 0 after it
     */
    int next(int atLeast) throws IOException {
      length = 0;
      int rows = 0;
      while (rows < atLeast) {
        int more = head();
        if (more == 0) {
          break;
        }
        int size = in.readInt();
        if (body.length < length + size) {
          body = Arrays.copyOf(body, 2 * (length + size));
        }
        in.readFully(body, length, size);
        length += size;
        rows += more;
      }
      return rows;
    }

    private int skip() throws IOException {
      int rows = head();
      if (rows > 0) {
        in.skipNBytes(in.readInt());
      }
      return rows;
    }

    /** Returns the number of rows of the next body, or 0 at the end. */
    private int head() throws IOException {
      in.mark(1);
      if (in.read() < 0) {
        return 0;
      }
      in.reset();
      return in.readInt();
    }

    byte[] body() {
      return body;
    }

    int length() {
      return length;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
