package dev.varve.server.http;

import dev.varve.query.running.Turns;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Lets few bodies at once be read that are long once they are decoded: reading one takes a
 * processor for long, and as many of them as may write at once would leave little to everybody
 * else. Most requests are short, and never wait here. Safe for use by several threads.
 */
final class LongBodies {
  /** Bytes, decoded, beyond which a body is long; the bodies of agents mostly have less. */
  static final int LONG = 1 << 20;

  private static final int FOR_EACH_PROCESSOR = 2;

  private final Gate gate;

  LongBodies(int waiting, Duration patience) {
    int most = FOR_EACH_PROCESSOR * Runtime.getRuntime().availableProcessors();
    this.gate = new Gate("read a long body", 503, most, waiting, patience);
  }

  /**
   * For one request.
   *
   * @param before runs before its turn is waited for: gives up what others wait for
   */
  Turn of(ClientAddress client, Runnable before) {
    return new Turn(client, before);
  }

  /** How many are being read. */
  int inFlight() {
    return gate.inFlight();
  }

  /** How many wait. */
  int waiting() {
    return gate.waiting();
  }

  /** The turn of one request, which it needs once its body turns out to be long. */
  final class Turn {
    private final ClientAddress client;
    private final Runnable before;
    private Turns.@Nullable Turn entered;

    private Turn(ClientAddress client, Runnable before) {
      this.client = client;
      this.before = before;
    }

    /**
     * Waits for the turn where a body is long and it has not come yet.
     *
     * @param length bytes, decoded, that are known of so far
     * @throws HttpError 503 if it took too long
     */
    void await(long length) {
      if (length > LONG && entered == null) {
        before.run();
        entered = gate.enter(client);
      }
    }

    /** A body, behind whose first bytes the turn is waited for. */
    InputStream input(InputStream body) {
      return new Input(body, this);
    }

    /** Ends the turn, if it has come. */
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
