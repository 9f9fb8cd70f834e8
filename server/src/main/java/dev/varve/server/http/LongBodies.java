package dev.varve.server.http;

import dev.varve.query.running.Turns;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of long bodies that are read at once. Reading one occupies a processor for
 * long, and as many as may write at once would leave little for others. Most bodies are short and
 * never wait here. A long body whose client has disconnected is read no further, because nobody
 * would learn whether it was written. Thread-safe.
 */
final class LongBodies {
  /** Decoded length above which a body is long, in bytes. Bodies of agents are mostly shorter. */
  static final int LONG = 1 << 20;

  private static final int FOR_EACH_PROCESSOR = 2;

  private final Gate gate;

  LongBodies(int waiting, Duration patience) {
    int most = FOR_EACH_PROCESSOR * Runtime.getRuntime().availableProcessors();
    this.gate = new Gate("read a long body", 503, most, waiting, patience);
  }

  /**
   * Creates the turn of a request.
   *
   * @param before runs before the request waits, and releases what others wait for
   * @param onGone registers what runs after the client has disconnected
   */
  Turn of(ClientAddress client, Runnable before, Consumer<Runnable> onGone) {
    return new Turn(client, before, onGone);
  }

  /** Returns the number of long bodies that are being read. */
  int inFlight() {
    return gate.inFlight();
  }

  /** Returns the number of waiting requests. */
  int waiting() {
    return gate.waiting();
  }

  /** The turn of one request, which it takes when its body turns out to be long. */
  final class Turn {
    private final ClientAddress client;
    private final Runnable before;
    private final Consumer<Runnable> onGone;
    private Turns.@Nullable Turn entered;
    private volatile boolean disconnected;

    private Turn(ClientAddress client, Runnable before, Consumer<Runnable> onGone) {
      this.client = client;
      this.before = before;
      this.onGone = onGone;
    }

    /**
     * Waits for the turn if the body is long, unless the request already has it.
     *
     * @param length decoded bytes known so far
     * @throws HttpError 503 if the wait took too long; 499 if the client has disconnected
     */
    void await(long length) {
      if (disconnected) {
        throw Gate.clientGone();
      }
      if (length > LONG && entered == null) {
        before.run();
        onGone.accept(this::disconnected);
        entered = gate.enter(client, () -> disconnected);
      }
    }

    private void disconnected() {
      disconnected = true;
      gate.wake();
    }

    /** Returns a body that waits for the turn after its first bytes. */
    InputStream input(InputStream body) {
      return new Input(body, this);
    }

    /** Ends the turn if the request has it. */
    void end() {
      Turns.Turn ended = entered;
      if (ended != null) {
        entered = null;
        gate.leave(ended);
      }
    }
  }

  private static final class Input extends FilterInputStream {
    private final Turn turn;
    private long count;

    private Input(InputStream in, Turn turn) {
      super(in);
      this.turn = turn;
    }

    @Override
    public int read() throws IOException {
      turn.await(++count);
      return super.read();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      turn.await(count);
      int n = super.read(buffer, offset, length);
      count += Math.max(0, n);
      return n;
    }

    @Override
    public long skip(long n) throws IOException {
      turn.await(count);
      long skipped = super.skip(n);
      count += skipped;
      return skipped;
    }

    @Override
    public boolean markSupported() {
      return false;
    }
  }
}
