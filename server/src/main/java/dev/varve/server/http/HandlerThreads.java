package dev.varve.server.http;

import dev.varve.engine.ThreadPriority;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Platform threads for what may compute for long, so that it is the operating system that shares
 * the processors: one body that takes long to decode would keep a carrier of virtual threads to
 * itself, of which there are as many as processors, and with it everybody else. They have low
 * priority: bodies, however many are decoded, do not keep operators and light queries waiting.
 * Gates bound how many there are. Safe for use by several threads.
 */
final class HandlerThreads {
  private final AtomicLong count = new AtomicLong();

  private final ExecutorService threads =
      Executors.newCachedThreadPool(work -> {
        long id = count.incrementAndGet();
        return Thread.ofPlatform()
            .daemon()
            .name("varve-handler-" + id)
            .unstarted(() -> {
              ThreadPriority.HEAVY.enter();
              work.run();
            });
      });

  /** Lets a request be answered, and returns or throws as its handler does. */
  void run(HttpHandler handler, Exchange exchange) throws IOException {
    Future<@Nullable Void> end =
        threads.submit(() -> {
          handler.handle(exchange);
          return null;
        });
    boolean interrupted = false;
    try {
      while (true) {
        try {
          end.get();
          return;
        } catch (InterruptedException e) {
          // The exchange may not be given back while it is being answered.
          interrupted = true;
        } catch (ExecutionException e) {
          switch (e.getCause()) {
            case IOException thrown -> throw thrown;
            case RuntimeException thrown -> throw thrown;
            case Error thrown -> throw thrown;
            case null, default ->
                throw new IllegalStateException("a handler ended in an unknown way", e);
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
