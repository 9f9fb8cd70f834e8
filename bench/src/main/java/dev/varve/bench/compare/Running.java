package dev.varve.bench.compare;

import dev.varve.devstores.ChildProcess;
import dev.varve.devstores.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A running server with its folder. */
record Running(Product product, Path folder, int port, ChildProcess process)
    implements AutoCloseable {
  private static final Duration READY = Duration.ofMinutes(5);

  /** A clean stop may write everything that is in memory. */
  private static final Duration STOP = Duration.ofMinutes(5);

  /** Starts a server and waits until it answers. */
  static Running start(Product product, Path folder) throws IOException {
    Files.createDirectories(folder);
    int port = Ports.free();
    ChildProcess process = product.start(folder, port);
    process.await("an answer", () -> answers(port, product.readyTarget()), READY);
    return new Running(product, folder, port, process);
  }

  private static boolean answers(int port, String target) {
    try {
      Connection.get(port, target);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the folder whose files are counted. */
  Path data() {
    return folder.resolve("data");
  }

  ProcessFigures figures() {
    return new ProcessFigures(process.pid());
  }

  void stop() {
    process.stop(STOP);
    process.close();
  }

  @Override
  public void close() {
    process.close();
  }
}
