package dev.varve.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Sends the body of an answer to the client. A write waits for the client as long as the pace
 * allows, then closes the connection. For one thread.
 */
final class AnswerBody extends OutputStream {
  /** Small enough that a client at the minimum rate reads each piece within the grace period. */
  private static final int PIECE = 32 << 10;

  private final Content.Sink sink;
  private final Pace pace;
  private final Runnable giveUp;

  /**
   * @param giveUp closes the connection
   */
  AnswerBody(Content.Sink sink, Pace pace, Runnable giveUp) {
    this.sink = sink;
    this.pace = pace;
    this.giveUp = giveUp;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    for (int done = 0; done < length; done += PIECE) {
      int size = Math.min(PIECE, length - done);
      send(false, ByteBuffer.wrap(bytes, offset + done, size));
      pace.moved(size);
    }
  }

  @Override
  public void flush() throws IOException {
    send(false, BufferUtil.EMPTY_BUFFER);
  }

  @Override
  public void close() throws IOException {
    send(true, BufferUtil.EMPTY_BUFFER);
  }

  private void send(boolean last, ByteBuffer bytes) throws IOException {
    CompletableFuture<Boolean> sent = new CompletableFuture<>();
    sink.write(last, bytes, Callback.from(() -> sent.complete(true), sent::completeExceptionally));
    if (!sent.isDone()) {
      await(sent);
    }
    try {
      sent.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private void await(CompletableFuture<Boolean> sent) throws IOException {
    long start = System.nanoTime();
    try {
      sent.get(pace.left(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // Closing fails the send in progress; until then its buffer must not be reused.
      giveUp.run();
    } catch (ExecutionException e) {
      // Thrown by the call that asks for the result.
      return;
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    pace.waited(System.nanoTime() - start);
  }

  private static IOException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IOException("interrupted", e);
  }
}
