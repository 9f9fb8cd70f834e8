package dev.varve.server.http;

import dev.varve.engine.threads.ThreadPriority;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Platform threads for work that may compute for long, so that the operating system shares the
 * processors. A body that takes long to decode would occupy a carrier of virtual threads, of which
 * there are only as many as processors. The threads have low priority, so that decoding does not
 * delay operators and light queries. Gates limit their number. Thread-safe.
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

  /** Runs a handler; returns or throws like the handler. */
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
          // The exchange must not be returned while it is being answered.
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
